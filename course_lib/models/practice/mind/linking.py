"""What the words of a question point to: values, labels, relationships, properties, and what is to be done.

Linking finds candidates and keeps them all; `understanding` decides between them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Literal

from course_lib.models.practice.mind.lexicon import Hit, lexicon
from course_lib.models.practice.mind.reading_schema import ListedValue
from course_lib.models.practice.mind.text import (
    Token,
    bounded_distance,
    is_plain_number,
    number_of,
    stem,
    tokens,
    typo_allowance,
)
from course_lib.models.practice.mind.world import World

How = Literal["exact", "case", "stem", "part", "typo", "initials", "memory", "weak", "unknown"]


@dataclass(frozen=True)
class Mention:
    """A thing or a property's value that the question names."""

    start: int
    end: int
    typed: str
    """As the user wrote it."""
    how: How
    candidates: tuple[ListedValue, ...] = ()
    """Listed values that it may stand for, best first."""
    label: str | None = None
    """The label it is known to have, where no single value is known."""
    or_group: int = 0

    @property
    def value(self) -> ListedValue | None:
        """The value it stands for, when that is sure enough to be used in its place."""
        return self.candidates[0] if self.candidates and self.how not in ("weak", "unknown") else None

    @property
    def owners(self) -> tuple[str, ...]:
        """The labels or types that it may belong to."""
        found = [value.owner for value in self.candidates]
        if self.label is not None:
            found.insert(0, self.label)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class LabelWord:
    """A word that names a label (`students`), or the doer of a relationship (`members`)."""

    start: int
    end: int
    label: str
    strength: float
    noun_of: tuple[int, ...] = ()
    """Relationship patterns that the noun stands for."""


@dataclass(frozen=True)
class RelCue:
    """A word that points to relationship patterns, each with a strength."""

    start: int
    end: int
    rels: tuple[tuple[int, float], ...]
    passive: bool = False
    optional: bool = False
    """The word names a thing first of all: the relationship may be meant, and need not be."""


@dataclass(frozen=True)
class PropWord:
    """A word that names a property, of one owner or several."""

    start: int
    end: int
    owners: tuple[tuple[str, str, float], ...]


@dataclass(frozen=True)
class NumberWord:
    """A number, in digits or in words."""

    start: int
    end: int
    value: int
    ordinal: bool


@dataclass
class Links:
    """Everything that linking found in one question."""

    text: str
    tokens: tuple[Token, ...]
    mentions: list[Mention] = field(default_factory=list)
    labels: list[LabelWord] = field(default_factory=list)
    rels: list[RelCue] = field(default_factory=list)
    props: list[PropWord] = field(default_factory=list)
    numbers: list[NumberWord] = field(default_factory=list)
    ops: dict[str, list[Hit]] = field(default_factory=dict)
    pronouns: list[Hit] = field(default_factory=list)
    writes: list[Hit] = field(default_factory=list)
    outside: list[Hit] = field(default_factory=list)
    unknown: list[int] = field(default_factory=list)
    """Places of words that nothing explains."""

    def has(self, *names: str) -> bool:
        """Whether any of these operators is in the question."""
        return any(name in self.ops for name in names)

    def first(self, name: str) -> Hit | None:
        """The first place of an operator."""
        hits = self.ops.get(name)
        return hits[0] if hits else None

    def word(self, place: int) -> str:
        """The lower-case word at a place, or an empty string beyond the ends."""
        return self.tokens[place].lower if 0 <= place < len(self.tokens) else ""


RESEMBLES = 72.0
"""From which likeness on (in percent) a word tells what kind of thing it is."""
_QUOTED = re.compile(r"[\"“‘']([^\"”’']{1,60})[\"”’'](?!\w)")


def link(question: str, world: World, abbreviations: bool = True) -> Links:
    """Finds everything in a question that points into the world.

    Args:
        question: the question's text.
        world: what the prompt says about the graph.
        abbreviations: whether initials such as 'ML' may stand for a listed value.
    """
    links = Links(question, tokens(question))
    lex = lexicon()
    links.outside = lex.outside.find(links.tokens)
    for hit in lex.ops.find(links.tokens):
        links.ops.setdefault(hit.name, []).append(hit)
    if "who" in links.ops:
        # 'kaun se clubs' asks which, not who
        links.ops["who"] = [h for h in links.ops["who"] if links.word(h.end) not in ("se", "sa", "si")]
        if not links.ops["who"]:
            del links.ops["who"]
    _longest_only(links)
    links.writes = lex.writes.find(links.tokens)
    taken: set[int] = set()
    _values(links, world, taken, abbreviations)
    _schema_words(links, world, taken)
    links.pronouns = [hit for hit in lex.pronouns.find(links.tokens) if hit.start not in taken]
    _numbers(links, taken)
    known = _explained(links, world, taken)
    _slips(links, world, taken, known)
    if not world.values:
        _bare_names(links, world, taken, known)
    links.unknown = [i for i in range(len(links.tokens)) if i not in taken and i not in known]
    _weak(links, world)
    links.mentions.sort(key=lambda mention: mention.start)
    links.labels.sort(key=lambda word: word.start)
    for hits in links.ops.values():
        hits.sort(key=lambda hit: hit.start)
    return links


_SHORT_OPS = ("least", "most", "best", "worst", "no", "less", "more", "first")


def _longest_only(links: Links) -> None:
    """'at least' asks for no minimum, and 'kam se kam' is not 'se kam': the longer phrase counts."""
    every = [hit for hits in links.ops.values() for hit in hits]
    for name in _SHORT_OPS:
        kept = [
            hit
            for hit in links.ops.get(name, ())
            if not any(
                other.name != name
                and other.start <= hit.start
                and hit.end <= other.end
                and other.end - other.start > hit.end - hit.start
                for other in every
            )
        ]
        if kept:
            links.ops[name] = kept
        else:
            links.ops.pop(name, None)


# ---- values ----------------------------------------


def _slice(links: Links, start: int, end: int) -> str:
    return links.text[links.tokens[start].start : links.tokens[end - 1].end]


def _is_common(token: Token, world: World) -> bool:
    """Whether a word is one of language or schema, so that it must not be taken for part of a name."""
    lex = lexicon()
    return (
        token.lower in lex.function
        or token.lower in lex.ops.words
        or token.lower in lex.pronouns.words
        or token.stem in world.label_words
        or token.stem in world.rel_words
        or any(
            (token.stem,) == phrase
            for kind in lex.groups.values()
            for phrase, _ in kind.phrases.by_first.get(token.stem, ())
        )
        or any((token.stem,) == phrase for phrase, _ in lex.ops.by_first.get(token.stem, ()))
    )


def _loud(links: Links, place: int) -> bool:
    """Whether a word stands in capitals where none are due: `IT`, `AT`, or a lone grade such as `A`."""
    token = links.tokens[place]
    return token.text.isupper() and (place > 0 or len(token.text) > 1)


def _ordered(found: list[ListedValue], world: World) -> tuple[ListedValue, ...]:
    return tuple(sorted(found, key=lambda value: not world.is_name(value)))


def _values(links: Links, world: World, taken: set[int], abbreviations: bool) -> None:
    words = links.tokens
    if not world.values:
        return
    # Longest first, so that 'Machine Learning' is not read as 'learning'.
    for length in range(min(world.longest_value, len(words)), 0, -1):
        for start in range(len(words) - length + 1):
            span = range(start, start + length)
            if any(place in taken for place in span):
                continue
            found, how = _whole(links, world, start, length)
            if found:
                links.mentions.append(
                    Mention(
                        start,
                        start + length,
                        _slice(links, start, start + length),
                        how,
                        _ordered(found, world),
                    )
                )
                taken.update(span)
    _parts(links, world, taken)
    if abbreviations:
        for place, token in enumerate(words):
            if place in taken or (_is_common(token, world) and not _loud(links, place)):
                continue
            found = world.by_initials.get(token.lower, [])
            if found:
                links.mentions.append(Mention(place, place + 1, token.text, "initials", tuple(found)))
                taken.add(place)


def _whole(links: Links, world: World, start: int, length: int) -> tuple[list[ListedValue], How]:
    words = links.tokens[start : start + length]
    key = " ".join(token.lower for token in words)
    found = world.by_lower.get(key, [])
    if found and length == 1:
        token = words[0]
        lex = lexicon()
        if number_of(token.lower) is not None:
            return [], "exact"  # numbers are read with the property they belong to
        small = len(token.lower) < 3 or token.lower in lex.function or token.lower in lex.pronouns.words
        if small and not _loud(links, start):
            return [], "exact"
        if _own_word(token, found, world) or _is_verb_here(links, start, world):
            return [], "exact"
    if found:
        exact = [value for value in found if value.text == _slice(links, start, start + length)]
        return (exact or found), ("exact" if exact else "case")
    if all(token.lower in lexicon().function or token.lower in lexicon().ops.words for token in words):
        return [], "stem"
    found = world.by_stems.get(" ".join(token.stem for token in words), [])
    if found and length == 1 and (_own_word(words[0], found, world) or len(words[0].stem) < 3):
        return [], "stem"
    return found, "stem"


def _is_verb_here(links: Links, place: int, world: World) -> bool:
    """'does she live in': a verb, whatever value is spelled like it."""
    token = links.tokens[place]
    if token.text != token.lower or links.word(place + 1) not in ("in", "at", "on", "with", "for"):
        return False
    return token.stem not in world.rel_nouns and bool(lexicon().groups["verbs"].phrases.find((token,)))


def _own_word(token: Token, found: list[ListedValue], world: World) -> bool:
    """`members` is the schema's word for a relationship before it is the role 'Member' on it."""
    if any(world.is_name(value) for value in found):
        return False
    return (
        token.stem in world.rel_words
        or token.stem in world.label_words
        or (
            token.stem in world.rel_nouns
            and (token.lower != token.stem and any(world.is_label(value.owner) for value in found))
        )
    )


def _parts(links: Links, world: World, taken: set[int]) -> None:
    """A word or two of a longer name: 'robotics', 'comp networks', 'memory mgmt'."""
    words = links.tokens
    for place, token in enumerate(words):
        if place in taken or len(token.lower) < 3 or _is_common(token, world):
            continue
        found = world.by_word.get(token.stem, [])
        if not found:
            continue
        start, end = place, place + 1
        best = list(found)
        # Neighbours that fit another word of the same name narrow it down.
        for step in (1, -1):
            beside = end if step == 1 else start - 1
            while 0 <= beside < len(words) and beside not in taken:
                fitting = [value for value in best if _fits_a_word(words[beside], value)]
                if not fitting:
                    break
                best = fitting
                start, end = min(start, beside), max(end, beside + 1)
                beside += step
        typed = _slice(links, start, end)
        owners = {value.owner for value in best}
        if len(best) == 1:
            links.mentions.append(Mention(start, end, typed, "part", tuple(best)))
        else:
            label = owners.pop() if len(owners) == 1 else None
            links.mentions.append(Mention(start, end, typed, "weak", tuple(best), label))
        taken.update(range(start, end))


def _fits_a_word(token: Token, value: ListedValue) -> bool:
    lower = token.lower
    if lower in lexicon().function or len(lower) < 2:
        return False
    for other in tokens(value.text):
        if token.stem == other.stem or (len(lower) >= 3 and other.lower.startswith(lower)):
            return True
        if len(lower) >= 4 and bounded_distance(lower, other.lower, 2) <= typo_allowance(len(lower)):
            return True
        if len(lower) >= 3 and lower[0] == other.lower[0] and not set(lower) & set("aeiou"):
            letters = iter(other.lower)
            if all(letter in letters for letter in lower):
                return True
    return False


# ---- schema words ----------------------------------------


def _schema_words(links: Links, world: World, taken: set[int]) -> None:
    words = links.tokens
    _grouped_words(links, world, words, taken, 0.8)
    for place, token in enumerate(words):
        if place in taken:
            continue
        _schema_word(links, world, place, token.stem, 1.0)


def _grouped_words(
    links: Links, world: World, words: tuple[Token, ...], taken: set[int], strength: float, shift: int = 0
) -> None:
    """Words that mean much the same as one of the schema's."""

    def hits(kind: str) -> list[Hit]:
        found = lexicon().groups[kind].phrases.find(words)
        return [
            Hit(hit.name, hit.start + shift, hit.end + shift)
            for hit in found
            if not any(place + shift in taken for place in range(hit.start, hit.end))
        ]

    for hit in hits("things"):
        for label in world.group_labels.get(hit.name, ()):
            _add_label(links, LabelWord(hit.start, hit.end, label, strength))
    for hit in hits("people"):
        _add_label(links, LabelWord(hit.start, hit.end, world.agent, strength * 0.8))
    for hit in hits("verbs"):
        rels = [(rel, strength) for rel in world.group_rels.get(hit.name, ())]
        if rels:
            _add_cue(links, world, hit.start, hit.end, rels)
    for hit in hits("properties"):
        props = [(owner, prop, strength) for owner, prop in world.group_props.get(hit.name, ())]
        if props:
            links.props.append(PropWord(hit.start, hit.end, tuple(props)))


def _schema_word(links: Links, world: World, place: int, root: str, factor: float) -> bool:
    hit = False
    for label, strength in world.label_words.get(root, ()):
        _add_label(links, LabelWord(place, place + 1, label, strength * factor))
        hit = True
    rels = [(rel, strength * factor) for rel, strength in world.rel_words.get(root, ())]
    if rels:
        _add_cue(links, world, place, place + 1, rels)
        hit = True
    nouns = [(rel, world.rels[rel].start) for rel in world.rel_nouns.get(root, ())]
    nouns += [(rel, world.rels[rel].end) for rel in world.end_nouns.get(root, ())]
    for label in dict.fromkeys(label for _, label in nouns):
        of = tuple(rel for rel, side in nouns if side == label)
        _add_label(links, LabelWord(place, place + 1, label, 0.9 * factor, of))
        hit = True
    props = [(owner, prop, s * factor) for owner, prop, s in world.prop_words.get(root, ()) if s > 0.5]
    if props and not (world.name_of.get(props[0][0]) == props[0][1] and root in ("name", "title")):
        links.props.append(PropWord(place, place + 1, tuple(props)))
        hit = True
    return hit


def _add_label(links: Links, word: LabelWord) -> None:
    for i, other in enumerate(links.labels):
        if other.label == word.label and other.start == word.start:
            best = word if word.strength > other.strength else other
            links.labels[i] = replace(
                best, noun_of=other.noun_of or word.noun_of, end=max(other.end, word.end)
            )
            return
    links.labels.append(word)


def _add_cue(links: Links, world: World, start: int, end: int, rels: list[tuple[int, float]]) -> None:
    token = links.tokens[end - 1]
    before = links.word(start - 1)
    after = links.word(end)
    passive = (
        token.lower.endswith(("ed", "en")) or token.lower in ("taught", "built", "part", "under")
    ) and (
        before in ("is", "are", "was", "were", "been", "being", "get", "gets")
        or after in ("by", "in", "under", "of", "for")
    )
    for i, other in enumerate(links.rels):
        if other.start < end and start < other.end:
            merged = dict(other.rels)
            for rel, strength in rels:
                merged[rel] = max(strength, merged.get(rel, 0.0))
            links.rels[i] = RelCue(
                min(start, other.start), max(end, other.end), tuple(merged.items()), passive or other.passive
            )
            return
    links.rels.append(RelCue(start, end, tuple(rels), passive))


# ---- the rest ----------------------------------------


def _numbers(links: Links, taken: set[int]) -> None:
    for place, token in enumerate(links.tokens):
        if place in taken:
            continue
        value = number_of(token.lower)
        if value is None or (token.lower in ("do", "one", "ek", "saat") and not is_plain_number(token.lower)):
            # 'do' is a verb far more often than it is two; 'one' and 'ek' count only inside 'more than one'.
            continue
        ordinal = not is_plain_number(token.lower) or token.lower[-1].isalpha()
        links.numbers.append(NumberWord(place, place + 1, value, ordinal))


def _explained(links: Links, world: World, taken: set[int]) -> set[int]:
    lex = lexicon()
    known = set(taken)
    for start, end in (
        *((word.start, word.end) for word in links.labels),
        *((cue.start, cue.end) for cue in links.rels),
        *((prop.start, prop.end) for prop in links.props),
        *((number.start, number.end) for number in links.numbers),
    ):
        known.update(range(start, end))
    for hits in (*links.ops.values(), links.pronouns, links.writes, links.outside):
        for hit in hits:
            known.update(range(hit.start, hit.end))
    for kind in lex.groups.values():
        for hit in kind.phrases.find(links.tokens):
            known.update(range(hit.start, hit.end))
    for place, token in enumerate(links.tokens):
        if token.lower in lex.function or token.stem in lex.function:
            known.add(place)
    return known


def _slips(links: Links, world: World, taken: set[int], known: set[int]) -> None:
    """Typing slips: an unknown word that is nearly a value, a word of the schema or one of the lexicon."""
    lex = lexicon()
    for place, token in enumerate(links.tokens):
        named = _looks_named(links, place, known)
        if not world.values:
            named = named or (place > 0 and token.text[0].isupper())
        if place in known or named or len(token.lower) < 4 or not token.lower.replace("-", "").isalpha():
            continue
        allowed = typo_allowance(len(token.lower))
        value, distance = _nearest_value(token, world, allowed)
        word, word_distance = _nearest_word(token, world, allowed)
        if value is not None and distance <= word_distance:
            links.mentions.append(Mention(place, place + 1, token.text, "typo", tuple(value)))
            taken.add(place)
        elif word is not None:
            known.add(place)
            _schema_word(links, world, place, stem(word), 0.9)
            mended = (replace_token(token, word),)
            for hit in lex.ops.find(mended):
                links.ops.setdefault(hit.name, []).append(Hit(hit.name, place, place + 1))
            _grouped_words(links, world, mended, set(), 0.7, place)


def _looks_named(links: Links, place: int, known: set[int]) -> bool:
    """Whether an unknown word with a capital stands beside another one: 'Rani Desai' is no slip of 'bani'."""
    words = links.tokens
    if not words[place].text[0].isupper():
        return False
    return any(
        0 <= beside < len(words) and beside not in known and words[beside].text[0].isupper()
        for beside in (place - 1, place + 1)
    )


def replace_token(token: Token, word: str) -> Token:
    """The token as if another word stood in its place."""
    return Token(word, word, stem(word), token.start, token.end)


def _nearest_value(token: Token, world: World, allowed: int) -> tuple[list[ListedValue] | None, int]:
    if not world.values or not allowed:
        return None, 99
    best: list[ListedValue] | None = None
    nearest = allowed + 1
    for key, found in world.by_lower.items():
        if abs(len(key) - len(token.lower)) <= allowed and len(key) > 3:
            distance = bounded_distance(token.lower, key, allowed)
            if distance < nearest:
                best, nearest = list(found), distance
    for key, found in world.by_word.items():
        if len(found) == 1 and abs(len(key) - len(token.stem)) <= allowed and len(key) > 4:
            distance = bounded_distance(token.stem, key, allowed)
            if distance < nearest:
                best, nearest = list(found), distance
    if best is None:
        return None, 99
    return list(_ordered(best, world)), nearest


def _nearest_word(token: Token, world: World, allowed: int) -> tuple[str | None, int]:
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if not allowed:
        return None, 99
    vocabulary = _vocabulary(world)
    found = process.extractOne(token.lower, vocabulary, scorer=OSA.distance, score_cutoff=allowed)
    if found is None or found[0][0] != token.lower[0] or len(found[0]) < 4:
        return None, 99
    return str(found[0]), int(found[1])


def _vocabulary(world: World) -> list[str]:
    if not world.vocabulary:
        lex = lexicon()
        words = set(lex.ops.words) | set(world.words)
        for kind in lex.groups.values():
            words |= set(kind.phrases.words)
        words |= {word + "s" for word in world.words}
        world.vocabulary = sorted(word for word in words if len(word) > 3)
    return world.vocabulary


def _bare_names(links: Links, world: World, taken: set[int], known: set[int]) -> None:
    """Without listed values, a name is what looks like one: quoted, in capitals, or a word that nothing
    explains.
    """
    words = links.tokens
    for match in _QUOTED.finditer(links.text):
        span = [i for i, t in enumerate(words) if match.start() <= t.start and t.end <= match.end()]
        if span and not any(i in taken for i in span):
            links.mentions.append(Mention(span[0], span[-1] + 1, match.group(1), "unknown"))
            taken.update(span)
    place = 0
    while place < len(words):
        if place in taken or not _nameish(links, place, known):
            place += 1
            continue
        end = place + 1
        while end < len(words) and end not in taken and _continues(links, end, known):
            end += 1
        links.mentions.append(Mention(place, end, _slice(links, place, end), "unknown"))
        span = list(range(place, end))
        taken.update(span)
        links.labels = [w for w in links.labels if w.start not in span]
        links.rels = [c for c in links.rels if c.start not in span]
        links.props = [p for p in links.props if p.start not in span]
        place = end


def _nameish(links: Links, place: int, known: set[int]) -> bool:
    token = links.tokens[place]
    if token.lower == "'s" or token.lower.isdigit():
        return False
    if place not in known:
        return True
    lex = lexicon()
    if token.lower in lex.function or token.lower in lex.ops.words or token.lower in lex.pronouns.words:
        return False
    return place > 0 and token.text[0].isupper() and not token.lower.isdigit()


def _continues(links: Links, place: int, known: set[int]) -> bool:
    token = links.tokens[place]
    before = links.tokens[place - 1]
    if token.lower == "'s" or token.start - before.end > 1:
        return False
    if place not in known:
        return before.text[0].isupper() == token.text[0].isupper()
    return token.text[0].isupper() and before.text[0].isupper() and token.lower not in lexicon().function


def _weak(links: Links, world: World) -> None:
    """A word that only resembles a value: enough to know what kind of thing it is, too little to respell
    it.
    """
    if not world.values:
        return
    left = []
    unknown = set(range(len(links.tokens))) - set(links.unknown)
    for place in links.unknown:
        token = links.tokens[place]
        value = None if _looks_named(links, place, unknown) else _resembling(token, world)
        if value is not None:
            links.mentions.append(Mention(place, place + 1, token.text, "weak", (value,), value.owner))
        else:
            left.append(place)
    links.unknown = left


def _resembling(token: Token, world: World) -> ListedValue | None:
    """The name that a word is nearest to, if it is near at all: 'debate-ye' to Debate Society."""
    from rapidfuzz import fuzz

    if len(token.lower) < 5:
        return None
    pieces = {part for part in re.split(r"[-/.&]", token.lower) if 3 < len(part) < len(token.lower)}
    best: ListedValue | None = None
    score = 0.0
    for value in world.values:
        if not world.is_name(value):
            continue
        lower = value.text.lower()
        names = [lower, *lower.split()]
        near = 100.0 if pieces.intersection(names) else 0.0
        near = max([near, *(fuzz.ratio(token.lower, name) for name in names if len(name) > 4)])
        if near > score:
            best, score = value, near
    return best if score >= RESEMBLES else None
