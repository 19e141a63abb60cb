"""The college with every name changed: labels, types, properties and values become words that mean nothing.

A model that had learned the college by heart is lost here. One that reads the prompt is not.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping

from course_lib.college.graph import Graph
from tests.support.practice_loop import Asked

SCHEMA: Mapping[str, str] = {
    "Student": "Zorp",
    "Subject": "Quonk",
    "Club": "Brindle",
    "Skill": "Fleep",
    "Project": "Mavric",
    "Concept": "Tindle",
    "Note": "Scrill",
    "STUDIES": "GLIMS",
    "MEMBER_OF": "PODDLER_OF",
    "HAS_SKILL": "HAS_FLEEP",
    "WORKS_ON": "DRUNKS_ON",
    "FRIENDS_WITH": "NIBBERS_WITH",
    "PREREQUISITE_FOR": "VANTER_FOR",
    "REQUIRES": "STROOKS",
    "COVERS": "HUMMELS",
    "EXPLAINS": "LURVES",
    "INCLUDES": "CRANTS",
}
PROPERTIES: Mapping[str, str] = {
    "id": "vid",
    "name": "moniker",
    "year": "dwell",
    "branch": "brul",
    "code": "kex",
    "credits": "pons",
    "founded": "wexed",
    "status": "stib",
    "area": "nork",
    "text": "lorf",
    "semester": "quill",
    "grade": "wub",
    "since": "hask",
    "role": "jint",
    "level": "trask",
}
# Words of the questions that name something of the schema, in both languages; longest first.
WORDS: Mapping[str, str] = {
    "course code": "kex",
    "part of": "cranted by",
    "kya hota hai": "ko lurv karo",
    "samjhao": "lurv karo",
    "explain": "lurv",
    "explains": "lurves",
    "founded": "wexed",
    "sabse purana": "sabse kam wexed wala",
    "since when": "since what hask",
    "when was": "what wexed is",
    "students": "zorps",
    "student": "zorp",
    "subjects": "quonks",
    "subject": "quonk",
    "clubs": "brindles",
    "club": "brindle",
    "skills": "fleeps",
    "skill": "fleep",
    "projects": "mavrics",
    "project": "mavric",
    "concepts": "tindles",
    "concept": "tindle",
    "topics": "tindles",
    "notes": "scrills",
    "studies": "glims",
    "study": "glim",
    "studied": "glimed",
    "padhta": "glim karta",
    "padhti": "glim karti",
    "padhte": "glim karte",
    "padhna": "glim karna",
    "members": "poddlers",
    "member": "poddler",
    "knows": "fleeps",
    "know": "fleep",
    "jaanta": "fleep karta",
    "kya kya aata hai": "kya kya fleep hai",
    "works on": "drunks on",
    "work on": "drunk on",
    "kaam": "drunk",
    "friends": "nibbers",
    "dost": "nibber",
    "doston": "nibbers",
    "prerequisites": "vanters",
    "prerequisite": "vanter",
    "requires": "strooks",
    "required": "strooked",
    "need": "strook",
    "ko chahiye": "strook karta",
    "cover": "hummel",
    "covers": "hummels",
    "covered": "hummeled",
    "include": "crant",
    "year": "dwell",
    "branch": "brul",
    "credits": "pons",
    "status": "stib",
    "area": "nork",
    "semester": "quill",
    "grade": "wub",
    "role": "jint",
    "courses": "quonks",
}
_SYLLABLES = (
    "ba",
    "ko",
    "ri",
    "mu",
    "te",
    "lo",
    "va",
    "ni",
    "po",
    "ge",
    "du",
    "sha",
    "fe",
    "yo",
    "ka",
    "zi",
    "ru",
    "me",
)


class Renamer:
    """Renames a graph, its questions and their references, always in the same way."""

    def __init__(self, graph: Graph) -> None:
        self._values: dict[str, str] = {}
        self._words: dict[str, str] = {}
        listed = graph.read("MATCH (n) UNWIND keys(n) AS k RETURN DISTINCT k, n[k]")
        on_edges = graph.read("MATCH ()-[r]->() UNWIND keys(r) AS k RETURN DISTINCT k, r[k]")
        for key, value in sorted([*listed, *on_edges], key=str):
            if isinstance(value, str) and key != "text":
                self._values[value] = " ".join(self._word(word) for word in value.split())
            elif isinstance(value, str):
                self._values[value] = f"lorf {len(self._values)}: " + " ".join(
                    self._word(word) for word in value.split()[:6]
                )

    def _word(self, word: str) -> str:
        if word not in self._words:
            # Each word its own number in syllables: never two alike, never a word that means something.
            number, made = len(self._words) + 29, ""
            while number:
                made += _SYLLABLES[number % len(_SYLLABLES)]
                number //= len(_SYLLABLES)
            self._words[word] = (
                (made + "x").capitalize() if word[0].isupper() or word[0].isdigit() else made + "x"
            )
        return self._words[word]

    def copy(self, source: Graph, target: Graph) -> None:
        """Copies a graph into another one under the new names."""
        for label, props in source.read("MATCH (n) RETURN labels(n)[0], properties(n)"):
            target.write(f"CREATE (n:{SCHEMA[label]}) SET n = $props", {"props": self._props(props)})
        rows = source.read(
            "MATCH (a)-[r]->(b) RETURN labels(a)[0], properties(a), type(r), properties(r),"
            " labels(b)[0], properties(b)"
        )
        for start, first, kind, props, end, second in rows:
            target.write(
                f"MATCH (a:{SCHEMA[start]} {self._key('a', first)}), (b:{SCHEMA[end]}"
                f" {self._key('b', second)}) "
                f"CREATE (a)-[r:{SCHEMA[kind]}]->(b) SET r = $props",
                {**self._keyed("a", first), **self._keyed("b", second), "props": self._props(props)},
            )

    def _props(self, props: Mapping[str, object]) -> dict[str, object]:
        return {PROPERTIES[k]: self._values.get(v, v) if isinstance(v, str) else v for k, v in props.items()}

    def _key(self, var: str, props: Mapping[str, object]) -> str:
        return "{" + ", ".join(f"{PROPERTIES[k]}: ${var}_{k}" for k in props) + "}"

    def _keyed(self, var: str, props: Mapping[str, object]) -> dict[str, object]:
        return {f"{var}_{k}": self._values.get(v, v) if isinstance(v, str) else v for k, v in props.items()}

    def reference(self, cypher: str) -> str:
        """A reference query under the new names."""

        def value(match: re.Match[str]) -> str:
            text = match.group(1)
            return f"'{self._values.get(text, text)}'"

        cypher = re.sub(r"'([^']*)'", value, cypher)
        for old, new in sorted(SCHEMA.items(), key=lambda item: -len(item[0])):
            cypher = re.sub(rf"(?<=:){old}\b", new, cypher)
        for old, new in PROPERTIES.items():
            cypher = (
                re.sub(rf"(?<=[.{{ ]){old}(?=\b\s*[:),\s>=<+]|$)(?<![:])", new, cypher)
                if old != "id"
                else cypher
            )
        return cypher

    def text(self, text: str) -> str:
        """A question, or a rule, under the new names: values as wholes, then words of values, then schema
        words.
        """
        kept: list[str] = []

        def keep(new: str) -> str:
            kept.append(new)
            return f"\0{len(kept) - 1}\0"

        for old in sorted(self._values, key=len, reverse=True):
            if len(old) > 1 or old in ("A", "B"):
                flags = 0 if len(old) < 4 or old in ("Member",) else re.IGNORECASE
                text = re.sub(
                    rf"(?<![\w\0]){re.escape(old)}(?![\w+\0])",
                    lambda _m, o=old: keep(self._values[o]),
                    text,
                    flags=flags,
                )
        for typed, spelled in (("pyhton", "Python"), ("deadlock", "Deadlocks"), ("dbms", "DBMS")):
            text = re.sub(rf"\b{typed}\b", lambda _m, t=typed, s=spelled: keep(self._typed(t, s)), text)
        for short, whole in (
            ("ML", "Machine Learning"),
            ("os", "Operating Systems"),
            ("OS", "Operating Systems"),
        ):
            initials = "".join(word[0] for word in self._values[whole].split()).lower()
            text = re.sub(
                rf"(?<![\w\0]){short}(?![\w\0])",
                lambda _m, i=initials, s=short: keep(i.upper() if s.isupper() else i),
                text,
            )
        for old in sorted(WORDS, key=len, reverse=True):
            text = re.sub(
                rf"(?<![\w\0]){old}(?![\w\0])", lambda _m, o=old: keep(WORDS[o]), text, flags=re.IGNORECASE
            )
        return re.sub(r"\0(\d+)\0", lambda m: kept[int(m.group(1))], text)

    def _typed(self, typed: str, spelled: str) -> str:
        new = self._values[spelled].lower()
        return new[:2] + new[3] + new[2] + new[4:] if typed == "pyhton" else new

    def question(self, asked: Asked) -> Asked:
        """A question with its reference and the questions before it."""
        return dataclasses.replace(
            asked,
            question=self.text(asked.question),
            reference=self.reference(asked.reference),
            before=tuple(self.text(earlier) for earlier in asked.before),
        )
