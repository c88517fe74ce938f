"""Conversion of money into another currency at the rate of a given day."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from palaestra.protocol.suggestions import did_you_mean
from tasks_app.tools.data import CURRENCIES, RATES_YEAR, ToolData
from tasks_app.tools.readers import day_field, exact, folded, number_field, number_text
from tasks_app.tools.types import Arguments, Field, Tool, ToolError, tool_register

SEVERAL = {
    "dollar": ("USD", "CAD", "AUD"),
    "dollars": ("USD", "CAD", "AUD"),
    "krona": ("SEK", "NOK"),
    "crown": ("SEK", "NOK"),
    "crowns": ("SEK", "NOK"),
}
CENTS = 2


def read(text: str, _data: ToolData) -> str:
    """Read a currency code. Raises ``ToolError``."""
    code = folded(text).upper()
    if code in CURRENCIES:
        return code
    if code.lower() in SEVERAL:
        codes = ", ".join(SEVERAL[code.lower()])
        raise ToolError(f"There are several currencies of this name: {codes}. Write which one.")
    raise ToolError(
        f"There is no currency {text[:40]!r}: {', '.join(CURRENCIES)}. {did_you_mean(code, CURRENCIES)}"
    )


def convert(amount: Fraction, code: str, into: str, *, day: date, data: ToolData) -> Fraction:
    """Convert an amount. Raises ``ToolError`` for a day without rates."""
    if day.year != RATES_YEAR:
        raise ToolError(f"There are rates for {RATES_YEAR} alone.")
    index = day.timetuple().tm_yday - 1
    return amount * Fraction(data.rates[into][index], data.rates[code][index])


def run(values: Arguments, data: ToolData) -> str:
    amount, day = exact(values["amount"]), date.fromisoformat(values["date"])
    money = convert(amount, values["from"], values["to"], day=day, data=data)
    of, to = number_text(amount), number_text(money, decimals=CENTS)
    return f"{of} {values['from']} = {to} {values['to']} on {day.isoformat()}"


tool_register(
    Tool(
        id="currency_converter",
        title="Currency converter",
        description=(
            f"Converts money at the rate of a day of {RATES_YEAR}, rounded to two decimals. Currencies: "
            f"{', '.join(CURRENCIES)}. On Saturdays and Sundays the rate of the Friday before holds."
        ),
        button="Convert money",
        fields=(
            number_field("amount", "Sum"),
            Field(name="from", label="From currency", kind="text", read=read, hint="such as EUR"),
            Field(name="to", label="To currency", kind="text", read=read, hint="such as USD"),
            day_field("date", "Day of the rate"),
        ),
        run=run,
    )
)
