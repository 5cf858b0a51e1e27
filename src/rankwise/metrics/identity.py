"""Base class of metrics with parameters, a name that can be parsed, and equality."""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, dataclass_transform

from rankwise.errors import WrongParameter, shorten
from rankwise.metrics.parameters import Parameter, TooLarge
from rankwise.metrics.traits import FormTraits

M = TypeVar("M")


class MetricType(type):
    """Metaclass of metrics; it makes `nDCG @ 10` the same as `nDCG(cutoff=10)`."""

    def __matmul__(cls: type[M], value: float | str) -> M:
        assert issubclass(cls, Named)
        made: M = cls(**cls.written_after_at(value))
        return made

    def __setattr__(cls, name: str, value: Any) -> None:
        # `@dataclass` sets this attribute first, by default with eq=True. Unpickling a class by
        # value also sets it, but with eq=False.
        if name == "__dataclass_params__" and name in vars(cls) and value.eq:
            raise WrongParameter(
                "a metric is a dataclass already. Remove @dataclass.", source=cls.__name__
            )
        super().__setattr__(name, value)


@dataclass_transform(frozen_default=True, kw_only_default=True)
@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Named(FormTraits, metaclass=MetricType):
    """A value with parameters and a name. It is hashable and can be compared with ==.

    The name of a registered metric can be parsed: `parse(str(metric)) == metric`. Parameters are
    dataclass fields; every subclass becomes a dataclass automatically. `parameters` maps names to
    `Parameter` objects: first those that the class declares, then inherited ones. The operator @
    sets the parameter in the trait `at`: `AP(rel=2) @ 100` sets the cutoff, and `IPrec @ 0.5` the
    recall.
    """

    if TYPE_CHECKING:  # no fields; each subclass has its own
        parameters: ClassVar[Mapping[str, Parameter]]
        is_builtin: ClassVar[bool]  # whether it is a metric of rankwise, not a user's own

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        # Generating equality and `repr` for dozens of classes would take as long as scoring a run.
        dataclass(frozen=True, kw_only=True, eq=False, repr=False)(cls)
        declared = fields(cls)
        plain = [field.name for field in declared if "parameter" not in field.metadata]
        if plain:
            what = f"{plain[0]} is a dataclass field, but not a parameter. Declare parameters with"
            remedy = "rankwise.metrics.parameters, and other attributes as ClassVar"
            raise WrongParameter(f"{what} {remedy}.", source=cls.__name__)
        own_first = sorted(declared, key=lambda field: field.name not in cls.__annotations__)
        cls.parameters = {field.name: field.metadata["parameter"] for field in own_first}
        cls.is_builtin = cls.__module__.startswith("rankwise.")

    def __post_init__(self) -> None:
        for name, parameter in self.parameters.items():
            value = getattr(self, name)
            if value is None and parameter.default is None:
                continue
            try:
                object.__setattr__(self, name, parameter.convert(value))
                continue
            except TooLarge as error:
                allowed = str(error)
            except (TypeError, ValueError, OverflowError):
                allowed = parameter.allowed
            what = f"{name}={shorten(repr(value))} is not allowed. It must be {allowed}."
            raise WrongParameter(what, source=type(self).__name__)

    def __repr__(self) -> str:
        return str(self)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and all(
            getattr(other, name) == getattr(self, name) for name in self.parameters
        )

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, name) for name in self.parameters)))

    def __matmul__(self, value: float | str) -> Self:
        return self.altered(**self.written_after_at(value))

    @classmethod
    def written_after_at(cls, value: float | str) -> dict[str, Any]:
        """Return {parameter: `value`} for the parameter that a value after @ sets."""
        if cls.at not in cls.parameters:
            name = cls.__name__
            raise WrongParameter(f"{name} has no {cls.at}. Write {name}, not {name}@{value}.")
        return {cls.at: value}

    def altered(self, **parameters: Any) -> Self:
        """Return a copy of the metric in which `parameters` replace the current values."""
        found = replace(self, **parameters)
        return found.with_zeros_as_trec_eval() if self.zero_if_undefined else found

    def with_zeros_as_trec_eval(self) -> Self:
        """Return the metric with score 0 where it would be undefined, as in trec_eval.

        This is not a parameter: the returned metric is equal to `self` and has the same name.
        """
        found = replace(self)
        object.__setattr__(found, "zero_if_undefined", True)
        return found

    def written(self, *, without: str | None = None) -> str:
        """Return the name of the metric, for example `RBP(p=0.8,rel=2)`.

        `without` names a parameter that is not shown: with `without="p"` the result is
        `RBP(rel=2)`.
        """
        at = ""
        shown = []
        for name, parameter in self.parameters.items():
            value = getattr(self, name)
            is_default = parameter.default is not MISSING and bool(value == parameter.default)
            if name == without or (is_default and not parameter.always):
                continue
            text = parameter.show(value)
            if name == self.at:
                at = f"@{text}"
            else:
                shown.append(f"{name}={text}")
        name = type(self).__name__
        return f"{name}({','.join(shown)}){at}" if shown else f"{name}{at}"

    __str__ = written

    @property
    def as_printed(self) -> str:
        """The name for charts and papers. For example, `PPlus@10` is printed as P⁺@10."""
        name = type(self).__name__
        return (self.printed_name or name) + str(self).removeprefix(name)

    @property
    def record(self) -> dict[str, Any]:
        """The name and all parameters as a dict, defaults included, as in JSON output."""
        shown: dict[str, Any] = {}
        for name, parameter in self.parameters.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, int | float | str):
                value = parameter.show(value)
            shown[name] = value
        return {"name": str(self), "parameters": shown}

    def value_of(self, parameter: str) -> float | None:
        """Return the value of a parameter, or None if it is not a number or does not exist."""
        value = getattr(self, parameter) if parameter in self.parameters else None
        return value if isinstance(value, int | float) and not isinstance(value, bool) else None
