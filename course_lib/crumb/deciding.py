"""Decides what a message changes. It reads and writes nothing: same message, same household, same plan."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import astuple, replace

from course_lib.crumb.household import Edge, Household, Source
from course_lib.crumb.outcome import Resolution
from course_lib.crumb.people import resolve_person
from course_lib.crumb.plans import LogLine, Plan, ReviewItem
from course_lib.crumb.records import HouseholdMember
from course_lib.crumb.relations import TIE, Known, Relation
from course_lib.crumb.relatives import canonical_role
from course_lib.crumb.triples import SPEAKER, Extraction, Triple
from course_lib.crumb.words import fold, is_word, tidy

EVIDENCE_LENGTH = 300
"""Characters of a message that an edge or an item of the tray keeps."""
_NO_STATEMENT = {
    "negated": "negated",
    "past": "in the past",
    "hearsay": "hearsay",
    "question": "a question",
}


def digest(extraction: Extraction) -> str:
    """A short hash of what an extraction says: the same again changes nothing."""
    said = [
        [astuple(triple) for triple in extraction.triples],
        [[astuple(doubt.triple), doubt.reason] for doubt in extraction.doubts],
        [[problem.code, problem.detail] for problem in extraction.problems],
    ]
    return hashlib.sha256(json.dumps(said, ensure_ascii=False).encode("utf-8", "replace")).hexdigest()[:16]


def own_message_id(extraction: Extraction) -> str:
    """An id for a message that came without one: the same text has the same."""
    text = extraction.message or digest(extraction)
    return f"text-{hashlib.sha256(text.encode('utf-8', 'replace')).hexdigest()[:12]}"


def decide(
    extraction: Extraction,
    household: Household,
    known: Known,
    relations: Mapping[str, Relation],
    message_id: str,
    date: str,
) -> Plan:
    """Decides every triple of a message, ties first, and keeps the result in `household` for the next one."""
    return _Deciding(extraction, household, known, relations, message_id, date).run()


class _Deciding:
    def __init__(
        self,
        extraction: Extraction,
        household: Household,
        known: Known,
        relations: Mapping[str, Relation],
        message_id: str,
        date: str,
    ) -> None:
        self.extraction, self.household, self.known, self.relations = extraction, household, known, relations
        self.message_id, self.date = message_id, date
        customer = household.customer.id
        self.plan = Plan(customer, f"{customer}/{message_id}", message_id, date, digest(extraction))
        self.doubtful = set(household.doubtful_names)

    def run(self) -> Plan:
        lines: dict[int, LogLine] = {}
        triples = list(enumerate(self.extraction.triples))
        # Whoever the message introduces is known before it is asked what they must not eat.
        for place, triple in triples:
            if triple.relation == TIE:
                lines[place] = self._tie(triple)
        for place, triple in triples:
            if triple.relation != TIE:
                lines[place] = self._fact(triple)
        self.plan.lines = [lines[place] for place in sorted(lines)]
        for doubt in self.extraction.doubts:
            self.plan.lines.append(self._review(doubt.triple, "evidence", doubt.reason))
        for problem in self.extraction.problems:
            self.plan.lines.append(self._unread(problem.code, problem.detail))
        return self.plan

    # Ties

    def _tie(self, triple: Triple) -> LogLine:
        if triple.stance != "stated":
            return self._skip(triple, _NO_STATEMENT[triple.stance])
        customer, members = self.household.customer, self.household.members
        role = _role(triple.role)
        subject = resolve_person(triple.subject, customer, members, shared_names=self.doubtful)
        relative = resolve_person(triple.object, customer, members, role=role, shared_names=self.doubtful)
        if subject.value != customer.id:
            if subject.value is not None and subject.value == relative.value:
                return self._review(triple, "own relative", "a person cannot be their own relative")
            if fold(triple.object) == SPEAKER:
                return self._review(triple, "direction", "it runs the wrong way: who is whose relative?")
            return self._review(
                triple, "not the customer's", subject.review or "only the customer's own relatives are kept"
            )
        if relative.value is None:
            if relative.how in ("unnamed", "several"):
                return self._skip(triple, relative.review or "")
            if relative.how == "namesake":
                self.doubtful.add(relative.name.split()[0])
                new = free_key(customer.id, relative.name, role, members)
                return self._review(triple, "namesake", relative.review or "", replace(relative, value=new))
            return self._review(triple, relative.how, relative.review or "", relative)
        text = f"{relative.value} {TIE}({relative.role or role}) {customer.id}"
        edge = self.household.ties.get(relative.value)
        if edge is None:
            self.plan.people[relative.value] = relative.name
            self.plan.ties[relative.value] = (role, self._source(triple))
            self.household.ties[relative.value] = Edge([self._source(triple)])
            members.append(HouseholdMember(relative.value, relative.name, role))
            return LogLine(text, "written", triple)
        if not edge.knows(self.message_id):
            edge.sources.append(self._source(triple))
            self.plan.confirmed[(relative.value, TIE, customer.id)] = edge.sources
        return LogLine(text, "known", triple)

    # Facts

    def _fact(self, triple: Triple) -> LogLine:
        relation = self.relations.get(triple.relation)
        if relation is None:
            return self._review(
                triple, "unknown relation", f"there is no relation {tidy(triple.relation)[:40]}"
            )
        person = resolve_person(
            triple.subject, self.household.customer, self.household.members, shared_names=self.doubtful
        )
        target = relation.resolve(triple.object, self.known)
        if triple.stance != "stated":
            return self._not_stated(triple, relation, person, target)
        if target.value is None and target.review is None:
            kind = relation.label.lower()
            text = f"SKIP unknown {kind} '{_short(relation.shown(triple.object))}'"
            return LogLine(text, "skipped", triple)
        if person.value is None:
            if not relation.critical and person.how in ("several", "unclear", "unnamed"):
                return self._skip(triple, person.review or "")
            return self._review(triple, person.how, person.review or "", person, target)
        if target.value is None:
            return self._review(triple, target.how, target.review or "", person, target)
        if not self.household.has(person.value):
            # Written down, it would belong to somebody whom no household read ever reaches.
            why = f"nothing says that {person.name} belongs to the customer's household"
            return self._review(triple, "untied", why, person, target)
        return self._write(triple, relation, person.value, target.value)

    def _write(self, triple: Triple, relation: Relation, person: str, target: str) -> LogLine:
        said = _short(relation.shown(triple.object))
        text = f"{person} {relation.name} {target}" + ("" if said == target else f" (from '{said}')")
        fact = (person, relation.name, target)
        edge = self.household.facts.get(fact)
        if edge is None:
            self.plan.facts[fact] = self._source(triple)
            self.household.facts[fact] = Edge([self._source(triple)])
            return LogLine(text, "written", triple)
        if edge.knows(self.message_id):
            return LogLine(text, "known", triple)
        if edge.ended is not None:
            why = f"staff ended this on {edge.ended}, and now it is said again"
            resolved = Resolution(person, "ended"), Resolution(target, "ended")
            return self._review(triple, "ended", why, *resolved, kind="return")
        edge.sources.append(self._source(triple))
        self.plan.confirmed[fact] = edge.sources
        return LogLine(text, "known", triple)

    def _not_stated(
        self, triple: Triple, relation: Relation, person: Resolution, target: Resolution
    ) -> LogLine:
        if triple.stance in ("negated", "past"):
            meant = [target.value] if target.value else list(target.candidates)
            live = [
                name
                for name in meant
                if person.value
                and (edge := self.household.facts.get((person.value, relation.name, name)))
                and edge.ended is None
                and not edge.knows(self.message_id)
            ]
            if live and relation.critical:
                why = "this takes back what is known: a chat can only ask, staff confirm with the customer"
                wanted = Resolution(live[0], "known", candidates=tuple(live))
                return self._review(triple, "retraction", why, person, wanted, kind="retraction")
        if triple.stance == "hearsay" and relation.critical:
            return self._review(
                triple, "hearsay", "it was only heard or guessed: ask the customer", person, target
            )
        return self._skip(triple, _NO_STATEMENT[triple.stance])

    # Lines

    def _source(self, triple: Triple) -> Source:
        evidence = (triple.evidence or self.extraction.message)[:EVIDENCE_LENGTH]
        return {"message": self.message_id, "date": self.date, "evidence": evidence}

    def _skip(self, triple: Triple, why: str) -> LogLine:
        return LogLine(f"SKIP {_said(triple)} ({why})", "skipped", triple)

    def _review(
        self,
        triple: Triple,
        code: str,
        reason: str,
        person: Resolution | None = None,
        target: Resolution | None = None,
        kind: str = "triple",
    ) -> LogLine:
        role = _role(triple.role) if triple.relation == TIE else (person.role if person else "")
        item = self._item(
            kind,
            code,
            reason,
            subject=_short(triple.subject),
            relation=_short(triple.relation),
            object=_short(triple.object),
            role=role,
            person=(person.value or "") if person else "",
            name=person.name if person else "",
            target=(target.value or "") if target else "",
            candidates=(
                target.candidates if target and not target.value else person.candidates if person else ()
            ),
            evidence=(triple.evidence or self.extraction.message)[:EVIDENCE_LENGTH],
        )
        return LogLine(f"REVIEW {_said(triple)} ({reason})", "review", triple, item.id)

    def _unread(self, code: str, detail: str) -> LogLine:
        if code == "empty message":
            return LogLine("SKIP an empty message", "skipped")
        reason = f"the message could not be read whole ({code}): a fact may be lost in it"
        item = self._item(
            "unread", code, reason, evidence=(self.extraction.message or detail)[:EVIDENCE_LENGTH]
        )
        return LogLine(f"REVIEW {reason}", "review", None, item.id)

    def _item(self, kind: str, code: str, reason: str, **more: object) -> ReviewItem:
        customer = self.household.customer.id
        said = [
            customer,
            self.message_id,
            kind,
            *(str(more.get(k, "")) for k in ("subject", "relation", "object", "role")),
        ]
        key = "R" + hashlib.sha256(json.dumps(said).encode("utf-8", "replace")).hexdigest()[:12]
        item = ReviewItem(
            key,
            kind,
            code,
            reason,
            customer,
            message=self.message_id,
            date=self.date,
            **more,  # type: ignore[arg-type]
        )
        if key not in self.household.items:
            self.household.items.add(key)
            self.plan.items.append(item)
            if code == "namesake" and item.name:
                self.household.doubtful_names.add(item.name.split()[0])
        return item


def free_key(customer_id: str, name: str, role: str, members: list[HouseholdMember]) -> str:
    """A key for a relative whose name is taken: `C002:rohan`, `C002:rohan-son`, `C002:rohan-son-2`."""
    base = f"{customer_id}:{'-'.join(fold(name).split())}"
    taken = {member.id for member in members}
    choices = [base, f"{base}-{fold(role).replace(' ', '-')}"] if role else [base]
    for choice in choices:
        if choice not in taken:
            return choice
    number = 2
    while f"{choices[-1]}-{number}" in taken:
        number += 1
    return f"{choices[-1]}-{number}"


def _role(role: str | None) -> str:
    """A role as it is stored: a short word or two, 'relative' when there is none that could be."""
    plain = canonical_role(role or "")
    fits = 0 < len(plain) <= 30 and all(is_word(word) for word in plain.split())
    return plain if fits else "relative"


def _said(triple: Triple) -> str:
    role = f"({_role(triple.role)})" if triple.relation == TIE and triple.role else ""
    return f"'{_short(triple.subject)}' {_short(triple.relation)}{role} '{_short(triple.object)}'"


def _short(text: str) -> str:
    return tidy(text)[:60]
