"""A question sorted into its roles: what is asked for, what is named, what must hold, what suggests the
way.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from course_lib.models.practice.mind.lexicon import Hit, is_hinglish, lexicon
from course_lib.models.practice.mind.linking import (
    LabelWord,
    Links,
    Mention,
    NumberWord,
    PropWord,
    RelCue,
    link,
)
from course_lib.models.practice.mind.plan import Compare
from course_lib.models.practice.mind.reading_memory import Remembered
from course_lib.models.practice.mind.reading_schema import ListedValue
from course_lib.models.practice.mind.world import World

_POSSESSIVE = frozenset(("'s", "ka", "ke", "ki"))
_ENGLISH_OWNERS = frozenset(("its", "his", "her", "their", "whose"))
_HINGLISH_OWNERS = frozenset(
    ("uska", "uske", "uski", "iska", "iske", "iski", "unka", "unke", "unki", "inka", "inke", "inki")
)
_AFTER_KE = frozenset(
    [
        "paas",
        "pas",
        "saath",
        "sath",
        "liye",
        "baad",
        "baare",
        "bare",
        "andar",
        "alawa",
        "naam",
        "name",
        "names",
        "beech",
        "pehle",
    ]
)
_POINTING = frozenset(
    ("that", "this", "us", "iss", "uss", "is", "same", "wahi", "those", "these", "un", "in")
)
_RELATIVE = frozenset(("who", "that", "which", "jo", "whom", "whose"))
_ASIDE = frozenset(("and", "aur", "with", "plus", "&", "saath"))


_GOT = frozenset(["mila", "mile", "mili", "laya", "layi", "laye", "paya", "payi", "score", "scored"])
POSSESSIVE_PRONOUNS = _ENGLISH_OWNERS | _HINGLISH_OWNERS


@dataclass(frozen=True)
class PropTest:
    """A property that must hold: `year = 2`, `grade = 'A+'`."""

    owner: str
    prop: str
    op: Compare
    value: int | str
    at: int
    mention: Mention | None = None
    others: tuple[Mention, ...] = ()
    """Further values that will do as well: 'an A or an A+'."""


@dataclass(frozen=True)
class Asked:
    """A property that is asked for."""

    owner: str
    prop: str
    at: int


@dataclass
class Question:
    """The question, sorted."""

    world: World
    links: Links
    hinglish: bool
    things: list[Mention] = field(default_factory=list)
    tests: list[PropTest] = field(default_factory=list)
    asked: list[list[Asked]] = field(default_factory=list)
    """For each property word that is asked for, its possible owners."""
    labels: list[LabelWord] = field(default_factory=list)
    cues: list[RelCue] = field(default_factory=list)
    spare_numbers: list[NumberWord] = field(default_factory=list)
    excluded: list[Mention] = field(default_factory=list)
    """Things that are left out on purpose: 'other than Payal'."""
    apposed: dict[int, str] = field(default_factory=dict)
    """Start of a mention -> the label said beside it: 'the subject DBMS'."""

    @property
    def text(self) -> str:
        """The question as asked."""
        return self.links.text

    def has(self, *names: str) -> bool:
        """Whether an operator is in the question."""
        return self.links.has(*names)

    def label_choices(self, mention: Mention) -> list[tuple[str, float]]:
        """The labels that a mention may have, each with a penalty."""
        said = self.apposed.get(mention.start)
        if mention.owners:
            choices = [
                (owner, 0.5 * i) for i, owner in enumerate(mention.owners) if self.world.is_label(owner)
            ]
            if said is not None:
                choices = [(label, 0.0 if label == said else penalty + 0.5) for label, penalty in choices]
            return choices
        if said is not None:
            return [(said, 0.0)]
        return self._guessed_labels(mention)

    def _guessed_labels(self, mention: Mention) -> list[tuple[str, float]]:
        """The labels that a name may have which the prompt does not list."""
        world = self.world
        inside = self._label_inside(mention)
        if inside is not None:
            return [(inside, 0.0)]
        personal = self._personal(mention)
        shout = mention.typed.isupper() and len(mention.typed) > 1
        listed = {value.owner for value in world.values if world.is_name(value)}
        owned = {
            w.label for w in self.labels if w.start == mention.end + 1 and is_owner(self.links, mention.end)
        }
        found = []
        for label in world.labels:
            if label == world.agent:
                penalty = 0.0 if personal else 0.45 if shout else 0.2
            else:
                penalty = 0.5 if personal else 0.15
            if label in owned:
                penalty += 1.2  # "Karan's subjects" are not the subjects of a subject
            if label in listed:
                penalty += 0.3  # whose names are listed, this one not among them
            if world.text_property(label) == world.name_of[label]:
                penalty = 1.5  # nobody calls a thing by a whole paragraph
            found.append((label, penalty))
        return sorted(found, key=lambda item: item[1])

    def _label_inside(self, mention: Mention) -> str | None:
        """'Robotics Club', 'Debate Society': the name says what kind of thing it is."""
        world = self.world
        things = lexicon().groups["things"].phrases
        words = self.links.tokens[mention.start : mention.end]
        if len(words) < 2:
            return None
        last = words[-1]
        for label, _ in world.label_words.get(last.stem, ()):
            return label
        for hit in things.find((last,)):
            for label in world.group_labels.get(hit.name, ()):
                return label
        return None

    def _personal(self, mention: Mention) -> bool:
        """Whether a name stands where a person's would: "Payal's", 'does Karan', 'as Rahul', 'Sneha ne'."""
        links = self.links
        if mention.typed.isupper() and len(mention.typed) > 1:
            return False
        after, before = links.word(mention.end), links.word(mention.start - 1)
        if after in ("'s", "ne", "ko", "jaise") or before in ("as", "like", "with", "than"):
            return True
        if after in ("ke", "ka", "ki"):
            words = mention.typed.split()
            return len(words) <= 3 and all(word[0].isupper() for word in words)
        verbs = {cue.start for cue in links.rels}
        helped = before in ("does", "is", "did", "has", "do", "should", "can", "are")
        return helped and (
            mention.end in verbs or after in ("in", "have", "a", "know", "learn", "do", "good", "")
        )


def sort_question(text: str, world: World, memory: Remembered, abbreviations: bool) -> Question:
    """Sorts a question into roles.

    Args:
        text: the question.
        world: what the prompt says about the graph.
        memory: who and what was mentioned before.
        abbreviations: whether initials may stand for listed values.
    """
    links = link(text, world, abbreviations)
    question = Question(world, links, is_hinglish(text), labels=list(links.labels), cues=list(links.rels))
    _resolve_pronouns(question, memory)
    _purposes(question)
    _order_cues(question)
    _appositions(question)
    _sort_mentions(question)
    exclusions(question)
    _alternatives(question)
    _number_tests(question)
    _asked_properties(question)
    return question


# ---- pronouns ----------------------------------------


def _resolve_pronouns(question: Question, memory: Remembered) -> None:
    links, world = question.links, question.world
    pointing: list[tuple[Hit, str]] = []
    for word in list(question.labels):
        place = word.start - 1
        before = links.word(place)
        if before in _POINTING and word.strength >= 0.8 and not word.noun_of:
            if before == "is" and not question.hinglish:
                continue
            if before in ("same", "wahi") or (before in ("un", "in", "us") and not question.hinglish):
                continue
            if before == "that" and place > 0 and any(w.end == place for w in links.labels):
                continue  # 'skills that projects need' is a relative clause
            if memory.newest(word.label) is not None:
                pointing.append((Hit("label", place, word.end), word.label))
                question.labels = [w for w in question.labels if w.start != word.start]
                question.cues = [c for c in question.cues if c.start != word.start]
    for hit, label in pointing:
        _point(question, hit, label, memory)
    for hit in links.pronouns:
        if any(other.start <= hit.start < other.end for other, _ in pointing):
            continue
        if _refers_inside(question, hit):
            continue
        if hit.name == "person":
            _point(question, hit, world.agent, memory)
            continue
        meant = _thing_label(question, hit, memory)
        if meant is not None:
            _point(question, hit, meant, memory)
    links.mentions.sort(key=lambda mention: mention.start)


def _refers_inside(question: Question, hit: Hit) -> bool:
    """Whether the pronoun points to something said before it in the same question."""
    links, world = question.links, question.world
    word = links.word(hit.start)
    if hit.name == "person":
        if any(world.agent in m.owners or not m.candidates for m in links.mentions if m.start < hit.start):
            return True
        if any(w.label == world.agent and w.start < hit.start for w in links.labels):
            return True
        who = links.first("who")
        if (
            who is not None
            and who.start < hit.start
            and word in ("they", "their", "them", "unka", "unke", "unki", "uska", "uske", "uski")
        ):
            return True
        if word in ("their", "them", "they", "unka", "unke", "unki") and any(
            w.start < hit.start for w in links.labels
        ):
            return True
        if word in ("wo", "woh") and any(
            links.word(i) in ("jo", "jinke", "jinko", "jis") for i in range(hit.start)
        ):
            return True  # 'jo … wo …' closes a relative clause
        # 'wo students jo …' points forward, not back
        return word in ("wo", "woh") and any(w.start == hit.end for w in links.labels)
    if any(m.start < hit.start for m in links.mentions):
        return True
    if word not in ("its", "iska", "iske", "iski"):
        return False
    return links.word(hit.start - 1) in _ASIDE and any(w.start < hit.start for w in links.labels)


def _thing_label(question: Question, hit: Hit, memory: Remembered) -> str | None:
    """What 'it' can mean here: the newest remembered thing that the rest of the question fits."""
    world, links = question.world, question.links
    wanted: set[str] = set()
    for cue in links.rels:
        for place, _ in cue.rels:
            wanted.update((world.rels[place].start, world.rels[place].end))
    for prop in links.props:
        wanted.update(owner for owner, _, _ in prop.owners)
    named = {w.label for w in links.labels}
    others = [label for label, _ in memory.things if label != world.agent]
    for label in others:
        if label in wanted and label not in named:
            return label
    for label in others:
        if label not in named:
            return label
    if hit.start == 0 or memory.things:
        return memory.things[0][0] if memory.things else None
    return None


def _point(question: Question, hit: Hit, label: str, memory: Remembered) -> None:
    links, world = question.links, question.world
    typed = " ".join(token.text for token in links.tokens[hit.start : hit.end])
    name = memory.newest(label)
    if name is None:
        links.mentions.append(Mention(hit.start, hit.end, typed, "unknown", label=label))
        return
    value = ListedValue(label, world.name_of[label], name)
    links.mentions.append(Mention(hit.start, hit.end, name, "memory", (value,), label))


def _order_cues(question: Question) -> None:
    """'before' and 'after' suggest the relationship that orders things, unless a date stands beside them."""
    links, world = question.links, question.world
    loops = world.order_loops()
    if not loops or any(place in loops for cue in question.cues for place, _ in cue.rels):
        return
    for name in ("before", "after"):
        for hit in links.ops.get(name, ()):
            if not is_temporal(links, hit):
                if not question.labels:
                    # 'what comes after', 'kya padhna chahiye': the verb adds nothing to the order
                    question.cues = [c for c in question.cues if max(s for _, s in c.rels) >= 1.0]
                cue = RelCue(hit.start, hit.end, tuple((place, 0.8) for place in loops))
                question.cues.append(cue)
                return


def _purposes(question: Question) -> None:
    """'to build it', 'banane ke liye': the purpose of what is asked, not a relationship of its own."""
    links = question.links
    question.cues = [cue for cue in question.cues if not _is_ought(links, cue)]
    if len(question.cues) < 2:
        return

    def is_purpose(cue: RelCue) -> bool:
        last = links.word(cue.end - 1)
        if last.endswith(("ne", "na")) and links.word(cue.end) == "ke" and links.word(cue.end + 1) == "liye":
            return True
        return links.word(cue.start - 1) in ("to", "for") and links.word(cue.start - 2) in (
            "need",
            "needed",
            "required",
            "necessary",
            "chahiye",
            "order",
            "have",
        )

    question.cues = [cue for cue in question.cues if not is_purpose(cue)] or question.cues


def _is_ought(links: Links, cue: RelCue) -> bool:
    """'padhna chahiye' is what one should do; 'skills chahiye' is what is needed."""
    before = links.word(cue.start - 1)
    ought = links.word(cue.start) == "chahiye" and before.endswith(("na", "ni", "ne", "naa"))
    return ought and before not in ("aana", "aani", "aane", "hona", "honi")


def is_temporal(links: Links, hit: Hit) -> bool:
    """Whether 'before' or 'after' is about a date or an amount: a number stands beside it."""
    return any(n.start in (hit.end, hit.start - 1, hit.start - 2) for n in links.numbers)


# ---- roles ----------------------------------------


def _appositions(question: Question) -> None:
    """'the subject DBMS', 'Debate Society club': the word says what the name is, and asks for nothing."""
    links = question.links
    for mention in links.mentions:
        for word in list(question.labels):
            beside = word.end == mention.start or word.start == mention.end
            if not beside or word.noun_of:
                continue
            token = links.tokens[word.start]
            plural = token.lower.endswith("s") and token.stem != token.lower
            fits = not mention.owners or word.label in mention.owners
            asked = links.word(word.start - 1) in (
                "which",
                "what",
                "kaunsa",
                "kaunse",
                "kaunsi",
                "kis",
                "kitne",
                "kitni",
                "many",
                "all",
                "saare",
                "sabhi",
            )
            if fits and not plural and not asked:
                question.apposed[mention.start] = word.label
                question.labels.remove(word)
                question.cues = [cue for cue in question.cues if cue.start != word.start]


def _sort_mentions(question: Question) -> None:
    links, world = question.links, question.world
    for mention in links.mentions:
        beside = _prop_beside(question, mention)
        names = [v for v in mention.candidates if world.is_name(v)]
        others = [v for v in mention.candidates if not world.is_name(v)]
        if beside is not None and not mention.candidates:
            owner, prop = beside
            question.tests.append(PropTest(owner, prop, "=", mention.typed, mention.start, mention))
        elif others and (
            not names or (beside is not None and any((v.owner, v.prop) == beside for v in others))
        ):
            # Without a name among them, every owner of the value stays possible; the first that fits is
            # taken.
            chosen = next((v for v in others if (v.owner, v.prop) == beside), None) or _best_owner(
                question, others
            )
            question.tests.append(
                PropTest(
                    chosen.owner,
                    chosen.prop,
                    "=",
                    chosen.text,
                    mention.start,
                    replace(mention, candidates=(chosen,)),
                )
            )
        elif names:
            question.things.append(replace(mention, candidates=tuple(names)))
        else:
            question.things.append(mention)


def exclusions(question: Question) -> None:
    """Takes out of the things what is named only to be left out: 'other than Payal', 'Payal ke alawa'."""
    links = question.links
    for mention in list(question.things):
        before = any(
            hit.end == mention.start and links.word(hit.start) in ("other", "apart", "besides")
            for hit in links.ops.get("else", ())
        )
        after = links.word(mention.end) == "ke" and links.word(mention.end + 1) == "alawa"
        if before or after:
            question.excluded.append(mention)
            question.things.remove(mention)


def _alternatives(question: Question) -> None:
    """Two values of one property cannot both hold: either will do."""
    merged: list[PropTest] = []
    for test in question.tests:
        twin = next(
            (
                i
                for i, other in enumerate(merged)
                if (other.owner, other.prop) == (test.owner, test.prop) and other.mention and test.mention
            ),
            None,
        )
        if twin is None:
            merged.append(test)
        elif test.mention is not None:
            merged[twin] = replace(merged[twin], others=(*merged[twin].others, test.mention))
    question.tests = merged


def _best_owner(question: Question, options: list[ListedValue]) -> ListedValue:
    """Of several properties that have the value, the one whose owner the question speaks of."""
    world, links = question.world, question.links
    spoken = {world.rels[place].type for cue in links.rels for place, _ in cue.rels}
    labels = {w.label for w in links.labels} | {
        o for m in links.mentions for o in m.owners if world.is_label(o)
    }

    def near(value: ListedValue) -> int:
        if world.is_label(value.owner):
            return 2 if value.owner in labels else 0
        ends = {end for rel in world.rels if rel.type == value.owner for end in (rel.start, rel.end)}
        return 3 * (value.owner in spoken) + len(ends & labels)

    return max(options, key=near)


def _prop_beside(question: Question, mention: Mention) -> tuple[str, str] | None:
    for word in question.links.props:
        gap = mention.start - word.end if word.end <= mention.start else word.start - mention.end
        if 0 <= gap <= 0 or (
            gap == 1 and question.links.word(word.end) in ("is", "as", "=", "of") and word.end < mention.start
        ):
            values = [(o, p) for o, p, _ in word.owners]
            for owner, prop in values:
                if any(v.owner == owner and v.prop == prop for v in mention.candidates):
                    return owner, prop
            if not mention.candidates and gap == 0:
                owner, prop = values[0]
                if not any(pr.name == prop and pr.is_number for pr in question.world.props_of(owner)):
                    return owner, prop
    return None


# ---- numbers ----------------------------------------


def _number_tests(question: Question) -> None:
    links, world = question.links, question.world
    for number in links.numbers:
        word = _prop_for(question, number)
        if word is None:
            question.spare_numbers.append(number)
            continue
        numeric = [
            (owner, prop)
            for owner, prop, _ in word.owners
            if any(p.name == prop and (p.is_number or not p.type) for p in world.props_of(owner))
        ]
        if not numeric:
            question.spare_numbers.append(number)
            continue
        owner, prop = numeric[0]
        question.tests.append(
            PropTest(owner, prop, _comparison(links, number, word), number.value, number.start)
        )
        links.props = [w for w in links.props if w.start != word.start]
        # 'since 2024' and 'founded in 2015' are spent on the test, they suggest nothing more
    spent = {test.at for test in question.tests}
    question.spare_numbers = [n for n in question.spare_numbers if n.start not in spent]


def _prop_for(question: Question, number: NumberWord) -> PropWord | None:
    links, world = question.links, question.world
    nearest: tuple[int, PropWord] | None = None
    for word in _verbs_first(question):
        if not any(
            p.name == prop and (p.is_number or not p.type)
            for owner, prop, _ in word.owners
            for p in world.props_of(owner)
        ):
            continue
        gap = number.start - word.end if word.end <= number.start else word.start - number.end
        counting = number.ordinal and number.value < 13
        if counting and number.start > word.start:
            continue  # 'third year', but not 'founded first'
        limit = 1 if counting else 4
        if gap <= limit and (nearest is None or gap < nearest[0]):
            nearest = (gap, word)
    if nearest is not None:
        return nearest[1]
    if 1900 <= number.value <= 2100:
        # A year without a word for it: the property of something in the question that says when.
        owners = [
            world.rels[p].type for c in links.rels for p, s in c.rels if s >= 0.8 and world.rels[p].props
        ]
        owners += [w.label for w in links.labels]
        for owner in owners:
            prop = world.time_property(owner)
            if prop is not None and any(p.name == prop and p.is_number for p in world.props_of(owner)):
                return PropWord(number.start, number.end, ((owner, prop, 0.6),))
    return None


def _verbs_first(question: Question) -> list[PropWord]:
    """Property words; a verb among them ('joined') means the relationship's property before a thing's."""
    links, world = question.links, question.world
    found = []
    for word in links.props:
        types = {world.rels[p].type for c in links.rels if c.start <= word.start < c.end for p, _ in c.rels}
        found.append(
            replace(word, owners=tuple(sorted(word.owners, key=lambda owner: owner[0] not in types)))
        )
    return found


def _comparison(links: Links, number: NumberWord, word: PropWord) -> Compare:
    low, high = min(number.start, word.start), max(number.end, word.end)

    def close(name: str) -> bool:
        return any(
            low - 3 <= hit.start <= high + 2 and abs(hit.start - number.start) <= 4
            for hit in links.ops.get(name, ())
        )

    before = [hit for hit in links.ops.get("less", ()) if low - 2 <= hit.start <= high + 2]
    if any(hit.start < number.start or links.word(hit.start) in ("se",) for hit in before) and close("less"):
        return "<=" if close("less_equal") else "<"
    if close("more"):
        return ">=" if close("more_equal") else ">"
    return "="


# ---- properties asked for ----------------------------------------


def _asked_properties(question: Question) -> None:
    links = question.links
    if links.has("when") or _what_year(question):
        timed = _timed(question)
        if timed:
            question.asked.append(timed)
            return
    got = _got(question)
    if got is not None:
        question.asked.append([got])
        return
    tested = {(test.owner, test.prop) for test in question.tests}
    used = {test.mention.start - 1 for test in question.tests if test.mention is not None}
    used |= {
        test.mention.start - 2
        for test in question.tests
        if test.mention is not None and links.word(test.mention.start - 1) in ("of", "is", "as", "a", "an")
    }
    used |= {test.mention.end for test in question.tests if test.mention is not None}
    for word in links.props:
        if links.word(word.start - 1) in ("this", "is", "current", "iss") and _is_time(word):
            continue  # 'this year' says when, and asks for nothing
        owners = [Asked(o, p, word.start) for o, p, _ in word.owners if (o, p) not in tested]
        if not owners or (word.start in used and len(owners) < len(word.owners)):
            continue
        strength = max(s for _, _, s in word.owners)
        if strength >= 1.0 or _noun_place(links, word):
            if any(w.start <= word.start < w.end for w in question.labels) and not _asked_place(links, word):
                continue
            if any(c.start <= word.start < c.end for c in question.cues) and not _noun_place(links, word):
                continue
            if not any(owners[0].at == other[0].at for other in question.asked):
                question.asked.append(owners)
    unique: list[list[Asked]] = []
    for owners in question.asked:
        if not any(
            {(a.owner, a.prop) for a in owners} == {(b.owner, b.prop) for b in other} for other in unique
        ):
            unique.append(owners)
    question.asked = unique
    spent = {asked.at for owners in question.asked for asked in owners}
    # A word that names the property asked for does not also suggest a way: 'what is the score'.
    question.cues = [
        cue for cue in question.cues if cue.start not in spent or max(s for _, s in cue.rels) >= 1.0
    ]


def _got(question: Question) -> Asked | None:
    """'What did Karan get in DSA?': the rank on the relationship between the two."""
    links, world = question.links, question.world
    if len(question.things) != 2 or links.props or question.labels or not links.has("which"):
        return None
    at = next((i for i, t in enumerate(links.tokens) if t.stem == "get" or t.lower in _GOT), None)
    if at is None:
        return None
    labels = {label for m in question.things for label, _ in question.label_choices(m)[:1]}
    for rel in world.rels:
        if {rel.start, rel.end} == labels and len(labels) == 2:
            for prop in rel.props:
                if prop.name in lexicon().ranked_properties:
                    return Asked(rel.type, prop.name, at)
    return None


def _is_time(word: PropWord) -> bool:
    return any(prop in ("year", "semester", "term", "date", "month") for _, prop, _ in word.owners)


def _asked_place(links: Links, word: PropWord) -> bool:
    return links.word(word.start - 1) in (
        "which",
        "what",
        "kaunsa",
        "kaunse",
        "kaunsi",
        "kis",
        "kitna",
        "kitne",
        "kya",
        "kitni",
    )


def _noun_place(links: Links, word: PropWord) -> bool:
    before, after = links.word(word.start - 1), links.word(word.end)
    if _asked_place(links, word) or before in _POSSESSIVE | _ENGLISH_OWNERS | _HINGLISH_OWNERS:
        return True
    if before in ("the", "aur", "and") and after in ("of", "for", "in", "does", "did", "has"):
        return True
    if before == "kind" or (before == "much" and links.word(word.start - 2) == "how"):
        return True
    return after in ("kya", "kitna", "kitne", "kitni", "kaunsa", "kaunsi", "konsa", "konsi") or (
        after in ("mila", "mili", "mile", "batao") and before != ""
    )


def _what_year(question: Question) -> bool:
    """'in what year did it start': asks when, where another word names a date of the thing."""
    links, world = question.links, question.world
    years = [w for w in links.props if _is_time(w) and _asked_place(links, w)]
    labels = {label for m in question.things for label, _ in question.label_choices(m)[:1]}
    dated = [
        w
        for w in links.props
        if any(p == world.time_property(o) and (o in labels or not world.is_label(o)) for o, p, _ in w.owners)
    ]
    return any(w.start != y.start for y in years for w in dated)


def _timed(question: Question) -> list[Asked]:
    """'when': the property that says so, on a relationship or a thing in the question."""
    links, world = question.links, question.world
    owners: list[str] = []
    for word in links.props:
        for owner, prop, _ in word.owners:
            if prop == world.time_property(owner):
                owners.append(owner)
    for cue in links.rels:
        owners += [world.rels[place].type for place, _ in cue.rels]
    thing_labels = [label for mention in question.things for label, _ in question.label_choices(mention)[:1]]
    for rel in world.rels:
        if rel.start in thing_labels and rel.end in thing_labels and rel.start != rel.end:
            owners.append(rel.type)
    owners += thing_labels
    found = []
    at = links.ops["when"][0].start if links.has("when") else -1
    for owner in dict.fromkeys(owners):
        timed = world.time_property(owner)
        if timed is not None:
            found.append(Asked(owner, timed, at))
    return found


# ---- possession ----------------------------------------


def is_owner(links: Links, end: int) -> bool:
    """Whether the words up to `end` own what follows: "Payal's", 'students ke', "friends'"."""
    if links.word(end) in _POSSESSIVE:
        # 'students ke paas' and 'students ke naam' own nothing that is asked for
        return links.word(end + 1) not in _AFTER_KE
    last = links.tokens[end - 1]
    rest = links.text[last.end : last.end + 2]
    return rest.startswith(("' ", "’ ")) and last.lower.endswith("s")


def is_relative(links: Links, hit: Hit, labels: list[LabelWord]) -> bool:
    """Whether 'who' or 'jo' only joins a clause to a noun before it: 'students who …', 'someone who …'."""
    before = links.word(hit.start - 1)
    if links.word(hit.start) not in ("who", "whom", "whose", "that"):
        return False
    return any(w.end == hit.start for w in labels) or before in (
        "someone",
        "anyone",
        "people",
        "those",
        "everyone",
        "person",
        "somebody",
        "anybody",
    )


def beside_and(links: Links, place: int) -> bool:
    """Whether a noun is added to another one: 'students and their clubs', 'unke clubs'."""
    at = place - 1
    if links.word(at) in _ENGLISH_OWNERS | _HINGLISH_OWNERS or links.word(at) in ("the", "all", "which"):
        at -= 1
    return links.word(at) in _ASIDE


def content_words(question: Question) -> int:
    """How many words of the question carry content."""
    known = lexicon().function
    return sum(1 for token in question.links.tokens if token.lower not in known)
