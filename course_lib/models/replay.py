"""Real replies kept in a file, and answered from it again without a key or a network.

One JSON object a line: what was asked, what came back, from which model and when. The request is in it in
full, so the file can be read and judged; no key is, since no key is part of a request.
"""

from __future__ import annotations

import json
import threading
from collections import defaultdict
from collections.abc import Generator, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from course_lib.models.calls import CallRequest, Reply, ToolCall, Usage, message_to_json
from course_lib.models.errors import ModelChoiceError, NotSavedError
from course_lib.models.wire import TimeLimit

REPLAY = "replay"
"""The name under which kept replies answer, and the beginning of `COURSE_MODEL=replay:FILE`."""


class Recorder:
    """Writes every reply that it is given into a file, one line each. Give `keep` to `router.listening`.

    Args:
        path: the file; it is added to if it is there.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.kept = 0
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)

    def keep(self, request: CallRequest, reply: Reply) -> None:
        """Writes one reply, its line in one piece."""
        line = json.dumps(to_line(request, reply, datetime.now(UTC)), ensure_ascii=False)
        with self._lock, self.path.open("a", encoding="utf-8") as file:
            file.write(line + "\n")
            self.kept += 1


class ReplayProvider:
    """Answers from a file of kept replies.

    The same question asked several times gets the replies that were kept for it, one after the other, and the
    last one from then on.

    Args:
        path: the file that `course eval --save` wrote.

    Raises:
        ModelChoiceError: there is no such file, or a line of it is no kept reply.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._replies = _read(path)
        self._asked: defaultdict[str, int] = defaultdict(int)
        self._lock = threading.Lock()
        models = sorted({reply.model for replies in self._replies.values() for reply in replies})
        self._model = ", ".join(models)

    def __repr__(self) -> str:
        return f"ReplayProvider({self.path.name}: {len(self._replies)} questions, {self._model})"

    @property
    def name(self) -> str:
        """Always `replay`."""
        return REPLAY

    @property
    def model(self) -> str:
        """The model or models whose replies are in the file."""
        return self._model

    def complete(self, request: CallRequest, limit: TimeLimit) -> Reply:
        """The kept reply to this request.

        Raises:
            NotSavedError: there is none.
        """
        digest = request.digest
        replies = self._replies.get(digest)
        if not replies:
            raise NotSavedError(
                f"{self.path.name} holds no reply to this question.",
                "Kept replies answer only what was asked, word for word, when they were kept. "
                "Ask a model instead: COURSE_MODEL=practice, or one with a key.",
                provider=REPLAY,
            )
        with self._lock:
            turn = min(self._asked[digest], len(replies) - 1)
            self._asked[digest] += 1
        return replies[turn]

    def stream(self, request: CallRequest, limit: TimeLimit) -> Generator[str, None, Reply]:
        """The kept reply, word by word."""
        reply = self.complete(request, limit)
        rest = reply.text
        while rest:
            word, blank, rest = rest.partition(" ")
            yield word + blank
        return reply


def to_line(request: CallRequest, reply: Reply, when: datetime) -> dict[str, Any]:
    """One reply and its request as plain JSON values."""
    return {
        "digest": request.digest,
        "kept": when.isoformat(timespec="seconds"),
        "provider": reply.provider,
        "model": reply.model,
        "request": {
            "system": request.system,
            "messages": [message_to_json(message) for message in request.messages],
            "output_schema": request.output_schema,
            "tools": [asdict(tool) for tool in request.tools],
            "max_tokens": request.max_tokens,
            "temperature": request.temperature,
            "stop": list(request.stop),
        },
        "reply": {
            "text": reply.text,
            "stop": reply.stop,
            "tool_calls": [asdict(call) for call in reply.tool_calls],
            "data": reply.data,
            "tokens_in": reply.usage.tokens_in,
            "tokens_out": reply.usage.tokens_out,
            "cost_usd": reply.usage.cost_usd,
            "estimated": reply.usage.estimated,
            "seconds": round(reply.seconds, 3),
        },
    }


def from_line(line: Mapping[str, Any]) -> tuple[str, Reply]:
    """The digest and the reply of one line."""
    kept = line["reply"]
    reply = Reply(
        text=str(kept["text"]),
        provider=REPLAY,
        model=str(line["model"]),
        usage=Usage(kept["tokens_in"], kept["tokens_out"], kept["cost_usd"], kept["estimated"]),
        stop=kept["stop"],
        tool_calls=tuple(ToolCall(**call) for call in kept["tool_calls"]),
        data=kept["data"],
    )
    return str(line["digest"]), reply


def _read(path: Path) -> dict[str, list[Reply]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ModelChoiceError(
            f"There are no kept replies to read at {path.name}.",
            "Give the path of a file that `course eval --save` wrote: COURSE_MODEL=replay:path/to/file.jsonl",
        ) from error
    replies: dict[str, list[Reply]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            digest, reply = from_line(json.loads(line))
        except (ValueError, KeyError, TypeError) as error:
            raise ModelChoiceError(
                f"Line {number} of {path.name} is no kept reply.",
                "Delete that line, or keep the replies anew.",
            ) from error
        replies.setdefault(digest, []).append(reply)
    if not replies:
        raise ModelChoiceError(f"{path.name} is empty.", "Keep some replies with `course eval --save` first.")
    return replies
