"""What the lists may be filtered by. A filter that makes no sense is dropped, and the form says so."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from django import forms
from django.http import QueryDict

from core.integers import BIGINT_MAX
from tasks_app.questions import questions
from tasks_app.task_words import task_query
from trajectories.lab.text.untrusted import cut, visible

TASK_WORDS_MAX_CHARS = 200
ANY = ("", "any")
NOT_AMONG_THEM = {"invalid_choice": "is not among the choices"}
OUT = "This filter is left out."
QUOTED_CHARS = 40
NAME_CHARS = 60
NAMES_MOST = 5
COUNTED = "counted"
LEFT_OUT = "left_out"


def _ids(label: str = "Cursor", *, wrong: str = "is no place in this list") -> forms.IntegerField:
    return forms.IntegerField(
        required=False,
        min_value=1,
        max_value=BIGINT_MAX,
        label=label,
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), wrong),
    )


def choice(choices: list[tuple[str, str]], label: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False, choices=[ANY, *choices], label=label, error_messages=NOT_AMONG_THEM
    )


def names(known: list[str], label: str) -> forms.ChoiceField:
    return choice([(name, visible(name)) for name in known], label)


def misnamed(parameters: QueryDict, *, known: Collection[str], of: str) -> list[str]:
    """Names that nothing has, and those given more than once, of which a form reads the last."""
    unknown = [name for name in parameters if name not in known]
    said = [f"“{cut(visible(name), NAME_CHARS)}” is no filter of {of}" for name in unknown[:NAMES_MOST]]
    if more := len(unknown) - len(said):
        said.append(f"{more} more names are no filters either")
    counts = {name: len(parameters.getlist(name)) for name in parameters if name in known}
    return [
        *(f"{one}: left out." for one in said),
        *(
            f"“{name}” is there {count} times: the last one counts."
            for name, count in counts.items()
            if count > 1
        ),
    ]


class TextField(forms.CharField):
    """Words; what no text in the database can hold is refused."""

    def __init__(self, label: str, *, most: int, placeholder: str = "", help_text: str = "") -> None:
        attributes = {"type": "search", "autocomplete": "off", "placeholder": placeholder, "maxlength": most}
        widget = forms.TextInput(attrs=attributes)
        super().__init__(required=False, label=label, widget=widget, help_text=help_text)
        self.most = most
        # Django's own for NUL; the clause below says it in words.
        self.validators = []

    def validate(self, value: Any) -> None:
        super().validate(value)
        if len(value) > self.most:
            raise forms.ValidationError(f"has {len(value):,} characters, and {self.most} can be searched")
        if "\0" in value:
            raise forms.ValidationError("has a character that no text here has: U+0000")


class TaskWordsField(TextField):
    """Words of the task."""

    def __init__(self, label: str, *, help_text: str = "") -> None:
        said = 'Words, "a phrase", -without'
        super().__init__(label, most=TASK_WORDS_MAX_CHARS, placeholder=said, help_text=help_text)

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value.strip() and not task_query(value):
            raise forms.ValidationError("has no word that has to be there")


class FilterForm(forms.Form):
    """A form of GET parameters; ``filters`` holds those that are valid and set.

    Errors complete a sentence that begins with what was asked for: "is no whole number".
    """

    use_required_attribute = False
    told_apart: frozenset[str] = frozenset()
    """Fields whose errors are told elsewhere."""

    def filters(self) -> dict[str, Any]:
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}

    def problems(self) -> list[str]:
        """What of the filters makes no sense, in sentences."""
        told = [name for name in self.errors if name in self.fields and name not in self.told_apart]
        return [f"{self[name].label}: “{self._asked(name)}” {self.errors[name][0]}. {OUT}" for name in told]

    def _asked(self, name: str) -> str:
        return cut(visible(str(self.data.get(name, ""))), QUOTED_CHARS)


class CursorForm(FilterForm):
    cursor = _ids()


class TaskFilter(CursorForm):
    def __init__(self, data: Any, *, benchmarks: list[str], splits: list[str]) -> None:
        super().__init__(data)
        self.fields["benchmark"] = names(benchmarks, "Benchmark")
        self.fields["split"] = names(splits, "Split")
        self.fields["kind"] = names(list(questions), "Kind")
        self.fields["gap"] = forms.TypedChoiceField(
            required=False,
            choices=[ANY, (COUNTED, "counted"), (LEFT_OUT, "left out")],
            coerce=lambda value: value == COUNTED,
            empty_value=None,
            label="In the gap",
            error_messages=NOT_AMONG_THEM,
        )
        self.fields["q"] = TaskWordsField(
            "Search",
            help_text="Found are whole words of text and key, whatever their capitals, or one whole tag.",
        )


class StepsForm(FilterForm):
    """From which number on the steps of an episode are listed, at most ``last``; with ``tail`` its end."""

    first = _ids("From step", wrong="is no number of a step")
    tail = forms.ChoiceField(
        required=False,
        choices=[("1", "yes"), ("0", "no")],
        label="Tail",
        error_messages={"invalid_choice": "is neither 1 nor 0"},
    )

    def __init__(self, data: Any, *, last: int) -> None:
        super().__init__(data)
        self.last = last

    def clean_first(self) -> int | None:
        first: int | None = self.cleaned_data["first"]
        if first is not None and first > max(1, self.last):
            raise forms.ValidationError(f"is behind the last step, {self.last:,}")
        return first

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("tail") == "1" and self.cleaned_data.get("first") is not None:
            self.add_error("first", "is not asked for together with tail=1")
        return self.cleaned_data


class RowsForm(FilterForm):
    """From which row on a comparison is shown; ``from`` is no name of an attribute."""

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.fields["from"] = _ids("From row", wrong="is no number of a row")
