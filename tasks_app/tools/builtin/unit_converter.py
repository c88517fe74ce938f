"""Conversion of lengths, weights, volumes and temperatures. Ambiguous unit names are refused."""

from __future__ import annotations

from fractions import Fraction

from palaestra.protocol.suggestions import did_you_mean
from tasks_app.tools.data import ToolData
from tasks_app.tools.readers import exact, folded, number_field, number_text
from tasks_app.tools.types import Arguments, Field, Tool, ToolError, tool_register

Unit = tuple[str, Fraction, Fraction]
"""Quantity, size in the quantity's first unit, and an offset that is added before multiplying."""


def _unit(measure: str, size: str, added: str = "0") -> Unit:
    return measure, Fraction(size), Fraction(added)


UNITS: dict[str, Unit] = {
    "metre": _unit("length", "1"),
    "kilometre": _unit("length", "1000"),
    "centimetre": _unit("length", "0.01"),
    "millimetre": _unit("length", "0.001"),
    "mile": _unit("length", "1609.344"),
    "nautical mile": _unit("length", "1852"),
    "yard": _unit("length", "0.9144"),
    "foot": _unit("length", "0.3048"),
    "inch": _unit("length", "0.0254"),
    "kilogram": _unit("weight", "1"),
    "gram": _unit("weight", "0.001"),
    "metric ton": _unit("weight", "1000"),
    "short ton": _unit("weight", "907.18474"),
    "pound": _unit("weight", "0.45359237"),
    "ounce": _unit("weight", "0.028349523125"),
    "litre": _unit("volume", "1"),
    "millilitre": _unit("volume", "0.001"),
    "US gallon": _unit("volume", "3.785411784"),
    "imperial gallon": _unit("volume", "4.54609"),
    "US pint": _unit("volume", "0.473176473"),
    "imperial pint": _unit("volume", "0.56826125"),
    "degree Celsius": _unit("temperature", "1"),
    "degree Fahrenheit": _unit("temperature", "5/9", "-32"),
    "kelvin": _unit("temperature", "1", "-273.15"),
}
SHORT = {
    "m": "metre",
    "km": "kilometre",
    "cm": "centimetre",
    "mm": "millimetre",
    "mi": "mile",
    "nmi": "nautical mile",
    "yd": "yard",
    "ft": "foot",
    "feet": "foot",
    "in": "inch",
    "inches": "inch",
    "meter": "metre",
    "kilometer": "kilometre",
    "centimeter": "centimetre",
    "kg": "kilogram",
    "g": "gram",
    "lb": "pound",
    "lbs": "pound",
    "oz": "ounce",
    "l": "litre",
    "ml": "millilitre",
    "liter": "litre",
    "celsius": "degree Celsius",
    "c": "degree Celsius",
    "\u00b0c": "degree Celsius",
    "degrees celsius": "degree Celsius",
    "fahrenheit": "degree Fahrenheit",
    "f": "degree Fahrenheit",
    "\u00b0f": "degree Fahrenheit",
    "degrees fahrenheit": "degree Fahrenheit",
    "k": "kelvin",
}
SEVERAL = {
    "gallon": ("US gallon", "imperial gallon"),
    "pint": ("US pint", "imperial pint"),
    "ton": ("metric ton", "short ton"),
}
_BY_NAME = {**{folded(name): name for name in UNITS}, **SHORT}


def read(text: str, _data: ToolData) -> str:
    """Read a unit's name or short form. Raises ``ToolError``."""
    plain = folded(text)
    for name in (plain, plain.removesuffix("s")):
        if name in _BY_NAME:
            return _BY_NAME[name]
        if name in SEVERAL:
            raise ToolError(
                f"There are several units of this name: {', '.join(SEVERAL[name])}. Write which one."
            )
    raise ToolError(f"There is no unit {text[:40]!r}. {did_you_mean(plain, UNITS)}")


def convert(amount: Fraction, unit: str, into: str) -> Fraction:
    """Convert an amount. Raises ``ToolError`` for units of different quantities."""
    (measure, size, added), (other, into_size, into_added) = UNITS[unit], UNITS[into]
    if measure != other:
        raise ToolError(f"A {unit} measures {measure}, a {into} measures {other}.")
    return (amount + added) * size / into_size - into_added


def run(values: Arguments, _data: ToolData) -> str:
    amount, unit, into = exact(values["amount"]), values["from"], values["to"]
    return f"{number_text(amount)} {unit} = {number_text(convert(amount, unit, into))} {into}"


tool_register(
    Tool(
        id="unit_converter",
        title="Unit converter",
        description="Converts an amount between units of length, weight, volume or temperature.",
        button="Convert units",
        fields=(
            number_field("amount", "Amount"),
            Field(name="from", label="From unit", kind="text", read=read, hint="such as kilometre"),
            Field(name="to", label="To unit", kind="text", read=read, hint="such as mile"),
        ),
        run=run,
    )
)
