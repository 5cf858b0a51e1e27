from typing_extensions import Buffer

class Lookup:
    """Judgments by topic and document; see kernel.h."""

    def feed(self, block: Buffer, /) -> bool: ...
    def take_dict(self, judgments: object, /) -> bool: ...
    def take_lists(self, topics: list[str], documents: list[str], /) -> bool: ...
    def finish(self) -> tuple[list[str], bytes, bytes] | None: ...

class Reader:
    """A run, or a piece of it; see kernel.h."""

    def __new__(
        cls, lookup: Lookup, order: int, depth: int, start: int, stop: int, /
    ) -> Reader: ...
    def feed(self, block: Buffer, /) -> bool: ...
    def take_dict(self, run: object, /) -> bool: ...
    def is_done(self) -> bool: ...
    # The columns of native.feeding.JudgedText.
    def finish(
        self,
    ) -> (
        tuple[
            bytes,
            bytes,
            bytes,
            bytes,
            bytes,
            bytes,
            list[str],
            list[str],
            int,
            str | None,
            str | None,
        ]
        | None
    ): ...
