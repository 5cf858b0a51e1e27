"""ir_metadata: comments at the head of a run that describe its origin (ir-metadata.org).

The text between `# ir_metadata.start` and `# ir_metadata.end` is YAML. Only its `tag` is read
here; for more, parse `Run.metadata_text` as YAML.
"""

import re

START, END = "ir_metadata.start", "ir_metadata.end"
VALUE = r"""(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"'#][^\n]*?))"""  # in quotes, or plain
TAG = re.compile(rf"^tag:[ \t]+{VALUE}[ \t]*(?:[ \t]#.*)?$", re.M)


def metadata_text(comments: list[bytes]) -> str:
    """Return the YAML in the comments at the head of a run, without the comment signs."""
    lines = [line.decode("utf-8", "replace") for line in comments]
    bare = [re.sub(r"^\s*# ?", "", line).rstrip() for line in lines]
    marks = [line.strip() for line in bare]
    if START not in marks:
        return ""
    start = marks.index(START) + 1
    end = marks.index(END, start) if END in marks[start:] else len(marks)
    return "\n".join(bare[start:end])


def tag_in(text: str) -> str | None:
    """Return the tag in the metadata; None if there is none.

    >>> tag_in("actor:\\n  tag: not this one\\ntag: 'bm25'  # as submitted\\n")
    'bm25'
    """
    found = TAG.search(text)
    return None if found is None else next(part for part in found.groups() if part is not None)
