"""An unknown keyword of a public function gets a suggestion."""

import inspect
import pickle
from types import FunctionType

import pytest

import rankwise
from rankwise import judging, published
from rankwise.doors import homes

NAMES = {rankwise: rankwise.__all__}
NAMES |= {package: sorted(homes(str(package.__file__))) for package in (judging, published)}
FUNCTIONS = {
    f"{package.__name__}.{name}": function
    for package, names in NAMES.items()
    for name in names
    if isinstance(function := getattr(package, name), FunctionType)
    and name != "door"
    and not name.startswith("check_")
}


def test_there_are_functions_to_try() -> None:
    assert len(FUNCTIONS) > 40


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_unknown_keyword_gets_a_suggestion(name: str) -> None:
    function = FUNCTIONS[name]
    assert pickle.loads(pickle.dumps(function)) is function
    assert function.__doc__ and function.__name__ == name.rpartition(".")[2]
    last = list(inspect.signature(function).parameters)[-1]
    with pytest.raises(TypeError, match=f"Did you mean {last!r}"):
        function(**{f"{last}_": 1})
