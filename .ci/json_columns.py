"""Write src/rankwise/cli/json_columns.json from what the tests have recorded: `make api`.

`python .ci/json_columns.py RECORDED`, with tests/ on the path: see tests/json_outputs.py.
"""

import json
import sys
from pathlib import Path

from json_outputs import merged

TARGET = Path(__file__).parents[1] / "src" / "rankwise" / "cli" / "json_columns.json"


def main() -> None:
    seen: dict[str, dict[str, list[dict[str, str]]]] = {}
    for line in sorted({*Path(sys.argv[1]).read_text(encoding="utf-8").splitlines()}):
        command, parts = json.loads(line)
        for part, columns in parts.items():
            seen.setdefault(command, {}).setdefault(part, []).append(columns)
    merged_parts = {
        command: {part: merged(columns) for part, columns in parts.items()}
        for command, parts in sorted(seen.items())
    }
    text = json.dumps(merged_parts, indent=1, ensure_ascii=False)
    TARGET.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
