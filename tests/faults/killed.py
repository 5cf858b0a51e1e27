"""The command line, with what is on the disk each time it is about to write, as a kill leaves it.

`python -m faults.killed N FOLDER ARGS…` runs in FOLDER. It counts the places at which a file is
about to be opened, synced or renamed, and prints how many there are. At place N it dies; with
N = 0 it goes on to the end, and with N = -1 it copies FOLDER at every place, as FOLDER.1,
FOLDER.2 …, which is what a process killed there would have left. At its sync a file holds half
of its content.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR
COPY_AT_EVERY_PLACE = -1


class Places:
    """Counts the places at which a file is written, in a folder, and dies or copies there."""

    def __init__(self, deadly: int, folder: Path) -> None:
        self.deadly, self.folder, self.count = deadly, folder.resolve(), 0
        self.is_copying = False
        self._sync = os.fsync

    def hook(self, event: str, args: tuple[Any, ...]) -> None:
        opens = event == "open" and isinstance(args[2], int) and args[2] & WRITING
        if (opens or event in ("os.rename", "os.mkdir")) and isinstance(args[0], str | Path):
            self._pass(Path(args[0]))

    def sync(self, number: int) -> None:
        self._pass(self.folder, half_of=number)
        self._sync(number)

    def _pass(self, path: Path, half_of: int | None = None) -> None:
        if self.is_copying or not str(path.absolute()).startswith(str(self.folder)):
            return
        self.count += 1
        if self.deadly == COPY_AT_EVERY_PLACE:
            self._copy(half_of)
        elif self.count == self.deadly:
            if half_of is not None:
                os.ftruncate(half_of, os.fstat(half_of).st_size // 2)
            os._exit(9)

    def _copy(self, half_of: int | None) -> None:
        self.is_copying = True
        copy = self.folder.with_name(f"{self.folder.name}.{self.count}")
        shutil.copytree(self.folder, copy)
        if half_of is not None:
            written = Path(f"/proc/self/fd/{half_of}").readlink()
            same = copy / written.relative_to(self.folder)
            os.truncate(same, same.stat().st_size // 2)
        self.is_copying = False


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
