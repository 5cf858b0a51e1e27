"""Check the branch coverage of each package against its floor.

python .ci/coverage_floors.py coverage.json
"""

import json
import sys
from collections import defaultdict
from pathlib import PurePath

# Percent of statements and branches, as `coverage report` counts them. A floor below 95 has its
# reason beside it. Raise a floor when coverage rises; never lower one to make a build pass.
FLOORS = {
    "metrics": 95,
    "bounds": 98,
    "stats": 98,
    "rankings": 95,
}
FLOOR_OF_ALL = 90


def by_package(files: dict[str, dict[str, dict[str, int]]]) -> dict[str, tuple[int, int]]:
    """Sum what is covered, and what there is to cover, over the files of each package."""
    sums: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for name, file in files.items():
        parts = PurePath(name).parts
        inside = parts[parts.index("rankwise") + 1 :]
        package = inside[0] if len(inside) > 1 else "(top level)"
        summary = file["summary"]
        sums[package][0] += summary["covered_lines"] + summary["covered_branches"]
        sums[package][1] += summary["num_statements"] + summary["num_branches"]
    return {package: (covered, of) for package, (covered, of) in sums.items()}


def main() -> None:
    with open(sys.argv[1], encoding="utf-8") as file:  # noqa: PTH123
        packages = by_package(json.load(file)["files"])
    if missing := FLOORS.keys() - packages.keys():
        sys.exit(f"{sys.argv[1]}: not measured: {', '.join(sorted(missing))}. Run make coverage.")
    packages["all of rankwise"] = tuple(map(sum, zip(*packages.values(), strict=True)))  # type: ignore[assignment]
    floors, too_low = FLOORS | {"all of rankwise": FLOOR_OF_ALL}, []
    for package, (covered, of) in packages.items():
        percent = 100 * covered / max(of, 1)
        floor = floors.get(package)
        print(f"{package:16} {percent:6.1f} %  {f'floor {floor} %' if floor else ''}".rstrip())
        if floor is not None and percent < floor:
            too_low.append(f"{package} has {percent:.1f} %, its floor is {floor} %")
    if too_low:
        sys.exit("Coverage is too low: " + "; ".join(too_low) + ". Add tests.")


if __name__ == "__main__":
    main()
