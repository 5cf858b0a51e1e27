"""polars, imported on first use: scoring a small text file does not need it.

    from rankwise.lazy import pl

Modules between reading a file and printing scores use this line instead of `import polars as pl`.
Their annotations must not be evaluated.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        """Stand-in for a module; an attribute is looked up once."""

        def __getattr__(self, name: str) -> Any:
            import polars

            found = getattr(polars, name)
            setattr(self, name, found)
            return found

    pl = _Polars()

__all__ = ["pl"]
