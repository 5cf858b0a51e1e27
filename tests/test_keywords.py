"""An unknown keyword of a public function gets a suggestion."""

import inspect
import pickle
from types import FunctionType

import pytest

import rankwise

FUNCTIONS = {
    name: function
    for name in rankwise.__all__
    if isinstance(function := getattr(rankwise, name), FunctionType)
}


def test_there_are_functions_to_try() -> None:
    assert len(FUNCTIONS) > 25


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unknown_keyword_gets_a_suggestion(name: str) -> None:
    function = FUNCTIONS[name]
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__doc__ and function.__name__ == name
    last = list(inspect.signature(function).parameters)[-1]
    with pytest.raises(TypeError, match=f"Did you mean {last!r}"):
        function(**{f"{last}_": 1})
