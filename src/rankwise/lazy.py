"""Import of polars on first use, because scoring a small text file does not need it.

    from rankwise.lazy import pl

Modules between reading a file and printing scores use this line instead of `import polars as pl`.
Their annotations must not be evaluated, because that would import polars.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl
else:

    class _Polars:
        """A substitute for the module polars, which imports it when an attribute is first used."""

        def __getattr__(self, name: str) -> Any:
            import polars

            found = getattr(polars, name)
            setattr(self, name, found)
            return found

    pl = _Polars()

__all__ = ["pl"]
