"""The optional C kernel: joins text, Arrow tables or dicts with judgments in one pass.

`kernel.c` and `arrow.c` are plain C11 without Python. `module.c` wraps both as a module for the
stable ABI, and `feeding.py` passes files, tables and dicts to this module. The kernel accepts only
clean input: without malformed lines, duplicate documents or other faults. For any other input, it
returns no result and no reason. The Python readers in `formats` and `rankings` then read the input
and report any faults. For clean input, they give the same result as the kernel; tests compare both.

The kernel is built on installation if there is a C compiler. RANKWISE_NATIVE=0 disables it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    # fmt: off
    # isort: off
    from rankwise.native._kernel import Lookup
    from rankwise.native.availability import about_kernel, kernel, release_memory
    from rankwise.native.feeding import (
        Joining, JudgedText, JudgmentText, judgments_of, run_of_dict, run_of_rows,
        run_of_text,
    )
else:
    from rankwise.doors import door

    __getattr__, __dir__ = door(__name__, __file__)
