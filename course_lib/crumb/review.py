"""The tray: what no code may decide, with the evidence, for a person who decides and signs.

    for item in waiting(store): print(item)
    approve(store, item.id, by="Lata")

Every decision is one transaction, and keeps who took it and when. Whatever is decided stays within the
household of the customer whose message raised the doubt.
"""

from __future__ import annotations

import datetime
import hashlib
from dataclasses import replace
from typing import Any

from course_lib.crumb.allergens import AllergenList, is_compound, key, load_allergens
from course_lib.crumb.apply import ITEM_FIELDS, write_item
from course_lib.crumb.deciding import free_key
from course_lib.crumb.errors import ReviewError, UnknownCustomerError
from course_lib.crumb.household import Edge, Household, Source, read_households
from course_lib.crumb.people import display_name
from course_lib.crumb.plans import ReviewItem
from course_lib.crumb.relations import RELATIONS, TIE
from course_lib.crumb.relatives import canonical_role, read_mention
from course_lib.crumb.store import Store
from course_lib.crumb.words import fold, is_word, tidy

__all__ = [
    "ReviewItem",
    "approve",
    "confirm_retraction",
    "correct",
    "find",
    "link_customer",
    "reject",
    "request_retraction",
    "waiting",
]

_COLUMNS = ", ".join(f"r.{name}" for name in ITEM_FIELDS)
_LABELS = {name: relation.label for name, relation in RELATIONS.items()}


def waiting(store: Store, customer_id: str | None = None, *, status: str = "open") -> list[ReviewItem]:
    """The items of the tray, the oldest first.

    Args:
        store: where the memory lies.
        customer_id: only this customer's; everybody's when None.
        status: `open`, `approved`, `corrected`, `rejected` or `confirmed`; `all` for every item.
    """
    start = "MATCH (c:Person)<-[:ABOUT]-(r:Review)"
    params: dict[str, Any] = {}
    if customer_id is not None:
        start, params = "MATCH (c:Person {id: $customer})<-[:ABOUT]-(r:Review)", {"customer": customer_id}
    if status != "all":
        start, params = f"{start} WHERE r.status = $status", {**params, "status": status}
    return _items(store, f"{start} RETURN c.id, {_COLUMNS} ORDER BY r.date, r.message, r.id", params)


def find(store: Store, item_id: str) -> ReviewItem:
    """One item.

    Raises:
        ReviewError: the tray has no item of this key.
    """
    found = _items(
        store, f"MATCH (r:Review {{id: $id}})-[:ABOUT]->(c:Person) RETURN c.id, {_COLUMNS}", {"id": item_id}
    )
    if not found:
        raise ReviewError(f"The tray has no item {item_id!r}.", "waiting(store) lists them.")
    return found[0]


def approve(
    store: Store, item_id: str, by: str, *, remember: bool = False, at: str | None = None, note: str = ""
) -> ReviewItem:
    """Writes what the item says, as it says it.

    That works where the code had one idea of who and what, and only lacked the right: a relative whom nothing
    ties to the customer is tied, a namesake becomes a second person, hearsay becomes a fact. A word with
    several meanings, or nobody's name, needs `correct`.

    Args:
        store: where the memory lies.
        item_id: the item's key.
        by: who decides.
        remember: whether the word becomes an alias from now on.
        at: when (ISO); now when None.
        note: what the person wants to remember about it.

    Raises:
        ReviewError: the item cannot be approved as it stands; the message says what to do. Nothing changed.
    """
    item, when = _open(store, item_id, by), _when(at)
    if item.kind == "retraction":
        raise ReviewError(
            "This asks to end a fact.", "confirm_retraction does that, after you asked the customer."
        )
    if item.kind == "unread":
        return _close(store, item, "approved", by, when, note or "read by a person")
    target = item.target or (item.candidates[0] if item.person and len(item.candidates) == 1 else "")
    return _decide(
        store, item, "approved", by, when, note, item.person, "", target, item.role, item.relation, remember
    )


def correct(
    store: Store,
    item_id: str,
    by: str,
    *,
    person: str | None = None,
    target: str | None = None,
    role: str | None = None,
    relation: str | None = None,
    remember: bool = False,
    at: str | None = None,
    note: str = "",
) -> ReviewItem:
    """Writes what the item should have said.

    Args:
        store: where the memory lies.
        item_id: the item's key.
        by: who decides.
        person: `me`, the key of somebody in the household, or a name (with `role` for somebody new).
        target: the allergen or product.
        role: what a new relative is to the customer.
        relation: the relation, where the item's is wrong or missing.
        remember: whether the item's word becomes an alias of the target.
        at: when (ISO); now when None.
        note: what the person wants to remember about it.

    Raises:
        ReviewError: something is missing or does not exist; the message says what. Nothing was changed.
    """
    item, when = _open(store, item_id, by), _when(at)
    if item.kind == "retraction":
        raise ReviewError("This asks to end a fact.", "Confirm it with confirm_retraction, or reject it.")
    chosen = (
        target or item.target or (item.candidates[0] if len(item.candidates) == 1 and item.person else "")
    )
    return _decide(
        store,
        item,
        "corrected",
        by,
        when,
        note,
        "" if person else item.person,
        person or "",
        chosen,
        role or item.role,
        relation or item.relation,
        remember,
    )


def reject(store: Store, item_id: str, by: str, *, at: str | None = None, note: str = "") -> ReviewItem:
    """Closes an item without writing a fact. The item stays, with who rejected it."""
    return _close(store, _open(store, item_id, by), "rejected", by, _when(at), note)


def request_retraction(
    store: Store,
    customer_id: str,
    person: str,
    target: str,
    by: str,
    reason: str,
    *,
    relation: str = "ALLERGIC_TO",
    at: str | None = None,
) -> ReviewItem:
    """Asks to end a fact. Nothing ends yet: somebody else has to confirm it with the customer.

    Raises:
        ReviewError: no such fact holds.
    """
    _signed(by)
    when = _when(at)
    household = _household(store, customer_id)
    edge = household.facts.get((person, relation, target))
    if edge is None or edge.ended is not None:
        raise ReviewError(
            f"{person} {relation} {target} is not a fact that holds.",
            "household_allergies lists those that do.",
        )
    said = f"{customer_id}|{person}|{relation}|{target}|{by}|{when}"
    item = ReviewItem(
        "R" + hashlib.sha256(said.encode()).hexdigest()[:12],
        "retraction",
        "retraction",
        reason or "asked to end it",
        customer_id,
        subject=person,
        relation=relation,
        object=target,
        person=person,
        target=target,
        date=when,
        asked_by=by,
    )
    with store.transaction():
        write_item(store, item)
    return item


def confirm_retraction(
    store: Store, item_id: str, by: str, reason: str, *, at: str | None = None
) -> ReviewItem:
    """Ends the fact that the item asks to end: the second signature. The edge stays, with date and reason.

    Raises:
        ReviewError: the item asks for no such thing, the same person has asked for it, or no reason is given.
    """
    item, when = _open(store, item_id, by), _when(at)
    if item.kind != "retraction":
        raise ReviewError("This item does not ask to end a fact.", "Approve, correct or reject it.")
    if fold(item.asked_by) == fold(by):
        raise ReviewError(f"{by} has asked for this.", "Forgetting takes a second person's signature.")
    if not reason.strip():
        raise ReviewError("No reason was given.", "Say what the customer confirmed, and how.")
    relation = _relation(item.relation)
    with store.transaction():
        ended = store.write(
            f"MATCH (p:Person {{id: $person}})-[e:{relation}]->(t:{_LABELS[relation]} {{name: $target}}) "
            "WHERE e.ended IS NULL SET e.ended = $at, e.ended_by = $by, e.ended_reason = $reason RETURN p.id",
            {"person": item.person, "target": item.target, "at": when, "by": by, "reason": reason},
        )
        if not ended:
            raise ReviewError("This fact has ended already.", "Reject the item.")
        return _close(store, item, "confirmed", by, when, reason)


def link_customer(store: Store, relative: str, customer_id: str, by: str, *, at: str | None = None) -> None:
    """Says that a relative of one customer is another customer: a person's decision, never a name's.

    From now on the first household's read also reaches what this customer says of themselves, and the
    customer holds what was known of them as a relative. Nobody else's facts move. Ask both of them first.

    Raises:
        ReviewError: there is no such relative or customer, or they are linked already.
    """
    _signed(by)
    owner, colon, _ = relative.partition(":")
    if not colon or owner == customer_id or ":" in customer_id:
        raise ReviewError(
            f"{relative!r} and {customer_id!r} cannot be linked.",
            "Give a relative's key (C001:kavita), and the key of another customer.",
        )
    when = _when(at)
    with store.transaction():
        household, own = _household(store, owner), _household(store, customer_id)
        if relative not in household.ties:
            raise ReviewError(f"{relative} is nobody's relative.", "Look the household up first.")
        if store.read("MATCH (:Person {id: $r})-[s:SAME_AS]->(:Person) RETURN s.date", {"r": relative}):
            raise ReviewError(f"{relative} is linked already.", "A relative is one customer at most.")
        role = next(member.role for member in household.members if member.id == relative)
        source = {"message": "linked", "date": when, "evidence": f"{relative} is {customer_id}, says {by}"}
        store.write(
            "MATCH (r:Person {id: $r}), (c:Person {id: $c}) "
            "CREATE (r)-[:SAME_AS {linked_by: $by, date: $at}]->(c)",
            {"r": relative, "c": customer_id, "by": by, "at": when},
        )
        store.write(
            "MATCH (c:Person {id: $c}), (o:Person {id: $o}) "
            "MERGE (c)-[e:FAMILY_OF]->(o) ON CREATE SET e.role = $role, e.sources = $sources",
            {"c": customer_id, "o": owner, "role": role, "sources": [source]},
        )
        for (person, relation, target), edge in household.facts.items():
            if person == relative and edge.ended is None and (customer_id, relation, target) not in own.facts:
                _put_fact(store, customer_id, relation, target, [*edge.sources, source])


# Inside


def _items(store: Store, query: str, params: dict[str, Any]) -> list[ReviewItem]:
    items = []
    for row in store.read(query, params):
        values: dict[str, Any] = dict(zip(ITEM_FIELDS, row[1:], strict=True))
        values = {name: "" if value is None else value for name, value in values.items()}
        values["candidates"] = tuple(name for name in values["candidates"] or () if name)
        items.append(ReviewItem(customer=row[0], **values))
    return items


def _open(store: Store, item_id: str, by: str) -> ReviewItem:
    _signed(by)
    item = find(store, item_id)
    if item.status != "open":
        raise ReviewError(
            f"{item_id} was {item.status} by {item.decided_by} on {item.decided_at}.",
            "Only open items are decided.",
        )
    return item


def _signed(by: str) -> None:
    if not by.strip():
        raise ReviewError("Nobody has signed this.", "Give by='…': who decides.")


def _when(at: str | None) -> str:
    return at or datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")


def _household(store: Store, customer_id: str) -> Household:
    try:
        return read_households(store, [customer_id], _LABELS)[customer_id]
    except UnknownCustomerError as error:
        raise ReviewError(error.what, error.next_step) from error


def _relation(name: str) -> str:
    if name not in RELATIONS:
        raise ReviewError(f"There is no relation {name!r}.", f"Give one of: {', '.join([*RELATIONS, TIE])}.")
    return name


def _decide(
    store: Store,
    item: ReviewItem,
    status: str,
    by: str,
    when: str,
    note: str,
    person_key: str,
    person_said: str,
    target: str,
    role: str,
    relation: str,
    remember: bool,
) -> ReviewItem:
    """Writes what a person decided, and closes the item with it."""
    source = {"message": item.message or item.id, "date": item.date, "evidence": item.evidence}
    with store.transaction():
        household = _household(store, item.customer)
        key_, name = _person(item, household, person_key, person_said, role, tie=relation == TIE)
        wrote = []
        if relation == TIE:
            if household.has(key_):
                raise ReviewError(
                    f"{key_} is in the household already.", "Reject the item, or name somebody else."
                )
        else:
            relation = _relation(relation)
            target = _existing_target(store, relation, target, item)
        if not household.has(key_):
            _put_tie(store, household, key_, name, role, source)
            wrote.append(f"{key_} {TIE}({canonical_role(role)}) {item.customer}")
        if relation != TIE:
            _put_or_confirm(store, household, key_, relation, target, source, returns=item.kind == "return")
            wrote.append(f"{key_} {relation} {target}")
        if remember:
            _remember(store, item, relation, target, by, when)
            wrote.append(f"alias '{item.object}' is {target}")
        return _close(store, item, status, by, when, "; ".join([*wrote, *([note] if note else [])]))


def _person(
    item: ReviewItem, household: Household, person_key: str, said: str, role: str, *, tie: bool
) -> tuple[str, str]:
    """The key and name of whom the decision is about. Only ever somebody of the item's own household."""
    customer = household.customer
    if said:
        if said == customer.id or read_mention(said).kind == "speaker":
            return customer.id, customer.name
        for member in household.members:
            if said == member.id:
                return member.id, member.name
        if ":" in said:
            raise ReviewError(
                f"{said} is nobody in the household of {customer.id}.", "Give a name and a role."
            )
        words = tidy(said).split()
        if not words or not all(is_word(word) for word in words):
            raise ReviewError(f"{said!r} is no name.", "Give a name of letters, such as Veer.")
        same = [m for m in household.members if fold(m.name) == fold(said)]
        if not tie and len(same) == 1 and not (role and canonical_role(role) != canonical_role(same[0].role)):
            return same[0].id, same[0].name
        name = display_name(words)
        return free_key(customer.id, name, canonical_role(role), household.members), name
    if not person_key:
        raise ReviewError(
            "The item does not say who it is.",
            "correct(…, person=…) does: 'me', a key of the household, or a name with role=….",
        )
    for member in household.members:
        if member.id == person_key:
            return member.id, member.name
    if person_key == customer.id:
        return customer.id, customer.name
    return person_key, item.name or person_key.partition(":")[2].capitalize()


def _existing_target(store: Store, relation: str, target: str, item: ReviewItem) -> str:
    if not target:
        raise ReviewError(
            f"'{item.object}' can be more than one thing, or nothing that is known.",
            "correct(…, target=…) says which"
            + (f"; it may be one of: {', '.join(item.candidates)}." if item.candidates else "."),
        )
    label = _LABELS[relation]
    if store.read(f"MATCH (t:{label} {{name: $name}}) RETURN t.name", {"name": target}):
        return target
    if label == "Allergen" and target in load_allergens().names:
        return target
    raise ReviewError(
        f"There is no {label.lower()} called {target!r}.",
        "Products come from the shop's records, allergens from the list in data/crumb/allergens.toml.",
    )


def _put_tie(store: Store, household: Household, key_: str, name: str, role: str, source: Source) -> None:
    role = canonical_role(role)
    if not role:
        raise ReviewError(
            f"Nothing says what {name} is to {household.customer.name}.",
            "correct(…, role=…) says it: without a tie no household check would ever reach them.",
        )
    store.write("MERGE (p:Person {id: $id}) ON CREATE SET p.name = $name", {"id": key_, "name": name})
    store.write(
        "MATCH (p:Person {id: $id}), (c:Person {id: $customer}) "
        "MERGE (p)-[e:FAMILY_OF]->(c) ON CREATE SET e.role = $role, e.sources = $sources",
        {"id": key_, "customer": household.customer.id, "role": role, "sources": [source]},
    )


def _put_fact(store: Store, person: str, relation: str, target: str, sources: list[Source]) -> None:
    label = _LABELS[relation]
    if not RELATIONS[relation].closed:
        store.write(f"MERGE (:{label} {{name: $name}})", {"name": target})
    store.write(
        f"MATCH (p:Person {{id: $person}}), (t:{label} {{name: $target}}) "
        f"MERGE (p)-[e:{relation}]->(t) ON CREATE SET e.sources = $sources",
        {"person": person, "target": target, "sources": sources},
    )


def _put_or_confirm(
    store: Store,
    household: Household,
    person: str,
    relation: str,
    target: str,
    source: Source,
    *,
    returns: bool,
) -> None:
    edge: Edge | None = household.facts.get((person, relation, target))
    if edge is None:
        _put_fact(store, person, relation, target, [source])
        return
    sources = edge.sources if edge.knows(source["message"]) else [*edge.sources, source]
    # A person says that it holds, so it holds, whether it had ended or not.
    store.write(
        f"MATCH (p:Person {{id: $person}})-[e:{relation}]->(t:{_LABELS[relation]} {{name: $target}}) "
        "SET e.sources = $sources, e.ended = NULL, e.ended_by = NULL, e.ended_reason = NULL",
        {"person": person, "target": target, "sources": list(sources)},
    )


def _remember(store: Store, item: ReviewItem, relation: str, target: str, by: str, when: str) -> None:
    word = key(item.object)
    listed: AllergenList = load_allergens()
    if _LABELS.get(relation) != "Allergen" or not word or is_compound(item.object):
        raise ReviewError(
            f"'{item.object}' cannot become an alias.", "Only a single word for an allergen can."
        )
    if word in listed.ambiguous:
        raise ReviewError(
            f"'{item.object}' means different things to different people.",
            "Decide it each time, without remember=True.",
        )
    if word in listed.approved and listed.approved[word].allergen != target:
        raise ReviewError(
            f"'{item.object}' is {listed.approved[word].allergen} on the list.", "Change the list first."
        )
    held = store.read("MATCH (a:Alias {word: $word}) RETURN a.meaning", {"word": word})
    if held and held.scalar() != target:
        raise ReviewError(
            f"'{item.object}' is an alias of {held.scalar()} already.", "A word has one meaning."
        )
    store.write(
        "MERGE (a:Alias {word: $word}) "
        "ON CREATE SET a.meaning = $meaning, a.approved_by = $by, a.date = $date",
        {"word": word, "meaning": target, "by": by, "date": when[:10]},
    )


def _close(store: Store, item: ReviewItem, status: str, by: str, when: str, outcome: str) -> ReviewItem:
    store.write(
        "MATCH (r:Review {id: $id}) SET r.status = $status, r.decided_by = $by, r.decided_at = $at, "
        "r.outcome = $outcome",
        {"id": item.id, "status": status, "by": by, "at": when, "outcome": outcome},
    )
    return replace(item, status=status, decided_by=by, decided_at=when, outcome=outcome)
