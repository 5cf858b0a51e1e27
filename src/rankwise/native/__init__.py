"""The optional C kernel: text, tables of Arrow or dicts to the judged rows of a run in one pass.

`kernel.c` is plain C11 and knows nothing of Python, nor does `arrow.c`; `module.c` makes them a
module against the stable ABI; `feeding.py` feeds it files, tables and dicts. It takes clean input
only, and says no more than that something is not clean: the readers in `formats` and `rankings`
then do the work, find every fault and have the words for it. What it takes, they take too, with
the same result: tests run with both and compare them.

It is built on install if there is a C compiler. RANKWISE_NATIVE=0 disables it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from rankwise.native._kernel import Lookup as Lookup
    from rankwise.native.availability import about_kernel as about_kernel, kernel as kernel
    from rankwise.native.feeding import (
        JudgedText as JudgedText,
        JudgmentText as JudgmentText,
        finished as finished,
        judgments_of_dict as judgments_of_dict,
        judgments_of_rows as judgments_of_rows,
        judgments_of_text as judgments_of_text,
        run_of_dict as run_of_dict,
        run_of_rows as run_of_rows,
        run_of_text as run_of_text,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
