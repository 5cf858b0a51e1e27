"""polars, imported when it is first used: a score of a small text file needs none of it.

    from rankwise.lazy import pl

Modules on the way from a file to printed scores have this line in place of `import polars as
pl`, and annotations that are not evaluated.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        """Looks like the module; an attribute that was asked for once is at hand."""

        def __getattr__(self, name: str) -> Any:
            import polars

            found = getattr(polars, name)
            setattr(self, name, found)
            return found

    pl = _Polars()

__all__ = ["pl"]
