"""The command line, killed where it is about to open, sync or rename its nth file.

`python -m faults.killed N FOLDER ARGS…` runs in FOLDER; 0 kills nothing, and prints how many
places there are. A file that is killed at its sync holds half of its content.
"""

import os
import sys
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR


class Places:
    """Counts the places at which a file is written, in a folder, and dies at one of them."""

    def __init__(self, deadly: int, folder: Path) -> None:
        self.deadly, self.folder, self.count = deadly, str(folder.resolve()), 0
        self._sync = os.fsync

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        opens = event == "open" and isinstance(args[2], int) and args[2] & WRITING
        if (opens or event in ("os.rename", "os.mkdir")) and isinstance(args[0], str | Path):
            self._pass(Path(args[0]))

    def sync(self, number: int) -> None:
        self._pass(Path(self.folder), half_of=number)
        self._sync(number)

    def _pass(self, path: Path, half_of: int | None = None) -> None:
        if not str(path.absolute()).startswith(self.folder):
            return
        self.count += 1
        if self.count == self.deadly:
            if half_of is not None:
                os.ftruncate(half_of, os.fstat(half_of).st_size // 2)
            os._exit(9)


def main() -> None:
    places = Places(int(sys.argv[1]), Path(sys.argv[2]))
    os.chdir(sys.argv[2])
    from rankwise.cli import main as run

    os.fsync = places.sync  # type: ignore[assignment]
    sys.addaudithook(places.hook)
    sys.argv = ["rankwise", *sys.argv[3:]]
    try:
        run()
    finally:
        print(f"places: {places.count}", file=sys.stderr)


if __name__ == "__main__":
    main()
