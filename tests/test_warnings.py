"""Our warnings are errors in the tests; those of other packages are not."""

import warnings
from typing import Any

import numpy as np
import pytest


def warn_as(module: str, kind: type[Warning]) -> None:
    """Warn as a module of that name would."""
    code = f"warnings.warn('made up', {kind.__name__}, stacklevel=1)"
    exec(code, {"__name__": module, "warnings": warnings, kind.__name__: kind})


@pytest.mark.parametrize("kind", [DeprecationWarning, FutureWarning, UserWarning, RuntimeWarning])
@pytest.mark.parametrize(
    "module", ["rankwise", "rankwise.metrics.rbp", __name__, "reference.rbp", "table"]
)
def test_a_warning_of_ours_is_an_error(module: str, kind: type[Warning]) -> None:
    with pytest.raises(kind):
        warn_as(module, kind)


@pytest.mark.parametrize("kind", [DeprecationWarning, FutureWarning, UserWarning])
@pytest.mark.parametrize("module", ["ir_measures.util", "rankwise_plugin", "tables"])
def test_a_warning_of_another_package_is_none(module: str, kind: type[Warning]) -> None:
    filters: Any = warnings.filters
    before = list(filters)
    with warnings.catch_warnings(record=True) as caught:
        filters = warnings.filters
        filters[:] = before
        warn_as(module, kind)
    assert [one.category for one in caught] == [kind]


def test_what_numpy_says_of_our_numbers_is_an_error() -> None:
    with pytest.raises(RuntimeWarning):
        np.zeros(2) / np.zeros(2)
    with pytest.raises(RuntimeWarning):
        np.std(np.array([np.inf, 1.0]))  # raised inside numpy, by its own arithmetic


def test_a_deprecated_call_of_ours_is_an_error() -> None:
    theirs: dict[str, Any] = {"__name__": "numpy", "warnings": warnings}
    exec("def old(): warnings.warn('use new', DeprecationWarning, stacklevel=2)", theirs)
    with pytest.raises(DeprecationWarning):
        theirs["old"]()
