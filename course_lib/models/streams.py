"""What a caller holds while a reply is still being written."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from types import TracebackType

from course_lib.models.calls import Reply


class ReplyStream(Iterator[str]):
    """The pieces of a reply, as they come. Loop over it; afterwards `.reply` holds the whole.

    `reply = yield from stream` works too: the reply is the value that the loop ends with. A loop that is left
    early ends the call when the stream is closed, which `with` does.
    """

    def __init__(self, pieces: Generator[str, None, Reply]) -> None:
        self._pieces = pieces
        self._reply: Reply | None = None
        self._text: list[str] = []

    @property
    def text(self) -> str:
        """What has come so far."""
        return "".join(self._text)

    @property
    def reply(self) -> Reply:
        """The whole reply. Reads the stream to its end, if that has not happened yet."""
        for _ in self:
            pass
        if self._reply is None:
            raise RuntimeError("This stream was closed before its end, so there is no whole reply.")
        return self._reply

    def close(self) -> None:
        """Ends the call."""
        self._pieces.close()

    def __next__(self) -> str:
        try:
            piece = next(self._pieces)
        except StopIteration as end:
            if end.value is not None:
                self._reply = end.value
            raise StopIteration(self._reply) from None
        self._text.append(piece)
        return piece

    def __enter__(self) -> ReplyStream:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
