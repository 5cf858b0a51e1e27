"""A metric as a value: its parameters, its name, and equality."""

from dataclasses import MISSING, Field, dataclass, fields, replace
from typing import Any, Self, TypeVar, dataclass_transform

from rankwise.errors import WrongParameter
from rankwise.metrics.parameters import check, parameter_of
from rankwise.metrics.traits import FormTraits

M = TypeVar("M")


class MetricType(type):
    """The class of metric classes: with it `nDCG @ 10` is `nDCG(cutoff=10)`."""

    def __matmul__(cls: type[M], value: float | str) -> M:
        assert issubclass(cls, Named)
        made: M = cls(**cls.written_after_at(value))
        return made


@dataclass_transform(frozen_default=True, kw_only_default=True)
def metric(declared: type[M]) -> type[M]:
    """`dataclass(frozen=True, kw_only=True)` without the methods that `Named` defines.

    Generating equality and `repr` for dozens of classes would take as long as scoring a run.
    """
    return dataclass(frozen=True, kw_only=True, eq=False, repr=False)(declared)


@metric
class Named(FormTraits, metaclass=MetricType):
    """A value with parameters and a name: hashable, comparable, and `parse(str(m)) == m`.

    Parameters are dataclass fields. `AP(rel=2) @ 100` sets the cutoff, of IPrec the recall.
    """

    def __post_init__(self) -> None:
        for declared in fields(self):
            value = check(type(self), declared, getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if "__repr__" not in cls.__dict__:  # else `dataclass` writes one for each class
            cls.__repr__ = Named.__repr__  # type: ignore[method-assign]

    def __str__(self) -> str:
        return self.written()

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other._values() == self._values()

    def __hash__(self) -> int:
        return hash((type(self), self._values()))

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, declared.name) for declared in fields(self))

    def __matmul__(self, value: float | str) -> Self:
        return self.altered(**self.written_after_at(value))

    @classmethod
    def written_after_at(cls, value: float | str) -> dict[str, Any]:
        """Return the parameter that a value after @ sets."""
        if not cls.takes(cls.at):
            name = cls.__name__
            raise WrongParameter(f"{name} has no {cls.at}. Write {name}, not {name}@{value}.")
        return {cls.at: value}

    def altered(self, **parameters: Any) -> Self:
        """Return the same metric with other values for some of its parameters."""
        found = replace(self, **parameters)
        return found.with_zeros_as_trec_eval() if self.zero_if_undefined else found

    def with_zeros_as_trec_eval(self) -> Self:
        """Return the same metric, asked for by a name of trec_eval: undefined topics count 0.

        This is not a parameter: the metric is equal to the one by our name, and prints the same.
        """
        found = replace(self)
        object.__setattr__(found, "zero_if_undefined", True)
        return found

    def written(self, *, without: str | None = None) -> str:
        """Return its name, for example `RBP(p=0.8,rel=2)`; `without` p: `RBP(rel=2)`."""
        at = ""
        shown = []
        for declared in parameters_of(type(self)):
            value = getattr(self, declared.name)
            is_default = declared.default is not MISSING and bool(value == declared.default)
            parameter = parameter_of(type(self), declared)
            if declared.name == without or (is_default and not parameter.always):
                continue
            text = parameter.show(value)
            if declared.name == self.at:
                at = f"@{text}"
            else:
                shown.append(f"{declared.name}={text}")
        name = type(self).__name__
        return f"{name}({','.join(shown)}){at}" if shown else f"{name}{at}"

    @property
    def as_printed(self) -> str:
        """Its name for charts and papers: P⁺@10 where it is typed PPlus@10."""
        name = type(self).__name__
        return (self.printed_name or name) + str(self).removeprefix(name)

    @property
    def record(self) -> dict[str, Any]:
        """Its name and all its parameters, defaults included, as in JSON output."""
        shown: dict[str, Any] = {}
        for declared in parameters_of(type(self)):
            value = getattr(self, declared.name)
            if value is not None and not isinstance(value, int | float | str):
                value = parameter_of(type(self), declared).show(value)
            shown[declared.name] = value
        return {"name": str(self), "parameters": shown}

    @classmethod
    def takes(cls, parameter: str) -> bool:
        """Return whether the metric has a parameter of this name."""
        return any(declared.name == parameter for declared in fields(cls))

    def value_of(self, parameter: str) -> float | None:
        """Return the number that a parameter is set to; None if it is no number or missing."""
        value = getattr(self, parameter) if self.takes(parameter) else None
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None


def parameters_of(metric: type[Named]) -> "list[Field[Any]]":
    """Return the parameters of a metric, its own before those that its family shares."""
    return sorted(fields(metric), key=lambda field: field.name not in metric.__annotations__)
