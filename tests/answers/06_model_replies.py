"""Answers for lesson 06."""

import re

from tests.answers import Answers, Wrong

_PATTERN = re.compile(r"<think>[\s\S]*?</think>", re.IGNORECASE)


def _compiled(reply: str) -> str:
    return _PATTERN.sub("", reply).strip()


def _by_hand(reply: str) -> str:
    small = reply.lower()
    while "<think>" in small and "</think>" in small:
        start, end = small.index("<think>"), small.index("</think>") + len("</think>")
        reply = reply[:start] + reply[end:]
        small = reply.lower()
    return reply.strip()


def _inline_flags(reply: str) -> str:
    return re.sub(r"(?is)\s*<think>.*?</think>\s*", "", reply).strip()


def _tags_only(reply: str) -> str:
    return re.sub(r"</?think>", "", reply).strip()


def _one_line(reply: str) -> str:
    return re.sub(r"<think>.*?</think>", "", reply, flags=re.I).strip()


def _small_only(reply: str) -> str:
    return re.sub(r"<think>.*?</think>", "", reply, flags=re.S).strip()


def _greedy(reply: str) -> str:
    return re.sub(r"<think>.*</think>", "", reply, flags=re.S | re.I).strip()


def _full(line: str) -> bool:
    return re.match(r"^\s*match\b\s*(?:[A-Za-z_]\w*\s*=\s*)?\(", line.lower()) is not None


def _in_steps(line: str) -> bool:
    plain = line.strip()
    if plain[:5].upper() != "MATCH":
        return False
    rest = plain[5:].lstrip()
    name, equals, after = rest.partition("=")
    return rest.startswith("(") or bool(
        equals and name.strip().isidentifier() and after.lstrip().startswith("(")
    )


def _search(line: str) -> bool:
    return bool(re.search(r"\A[ \t]*MATCH[ \t]*(\w+[ \t]*=[ \t]*)?[(]", line, re.IGNORECASE))


def _first_word(line: str) -> bool:
    return line.strip().upper().startswith("MATCH")


def _word_boundary(line: str) -> bool:
    return bool(re.match(r"\s*MATCH\b", line, re.I))


def _needs_space(line: str) -> bool:
    return bool(re.match(r"\s*MATCH\s+(\w+\s*=\s*)?\(", line, re.I))


def _no_path(line: str) -> bool:
    return bool(re.match(r"\s*MATCH\s*\(", line, re.I))


ANSWERS = {
    "06.1": Answers(
        right=[_compiled, _by_hand, _inline_flags],
        wrong=[
            Wrong(_tags_only, says="thought itself"),
            Wrong(_one_line, says="several lines"),
            Wrong(_small_only, says="capitals"),
            Wrong(_greedy, says="between them"),
        ],
    ),
    "06.2": Answers(
        right=["d", ("d",), ["D"]],
        wrong=[
            Wrong(["d", "e"], says="single fence", status="nearly"),
            Wrong(["c", "d"], says="together with the thinking", status="nearly"),
            Wrong(["e"], says="only fence"),
            Wrong(["a", "b"], says="Play both steps"),
        ],
    ),
    "06.3": Answers(
        right=[_full, _in_steps, _search],
        wrong=[
            Wrong(_first_word, says="is prose"),
            Wrong(_word_boundary, says="is prose"),
            Wrong(_needs_space, says="no space before"),
            Wrong(_no_path, says="may have a name"),
        ],
    ),
    "06.4": Answers(
        right=[
            "MATCH (s:Student {name: '<think></think>'}) RETURN s.name",
            "MATCH (c:Club) WHERE NOT c.name CONTAINS '<think>club</think>' RETURN c.name",
            "RETURN '<THINK>no</THINK>' AS text",
        ],
        wrong=[
            Wrong("MATCH (s:Student) RETURN s.name", says="leaves it as it is"),
            Wrong("MATCH (s:Student) WHERE s.name = '<think> RETURN s.name", says="has to run"),
            Wrong(7, says="as a text"),
            Wrong("RETURN '<think>' AS text", says="leaves it as it is"),
        ],
    ),
}
