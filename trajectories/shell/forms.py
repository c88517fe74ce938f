"""Filter forms of the lab's lists. An invalid filter is ignored, and the page reports that."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from django import forms
from django.forms.utils import flatatt
from django.http import QueryDict
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe

from core.database.integers import BIGINT_MAX
from core.episodes.arms import arm_choices
from tasks_app.kinds import kind_label
from tasks_app.questions import questions
from tasks_app.task_words import task_query
from trajectories.models.access import DEFAULT_PROJECT
from trajectories.record import projects
from trajectories.shell.text.untrusted import cut, visible

TASK_WORDS_MAX_CHARS = 200
RUN_WORDS_MAX_CHARS = 200
# One form or address can list at most this many episodes.
EPISODES_MAX = 200
ANY = ("", "any")
SELECTED = mark_safe(" selected")
INVALID_CHOICE = {"invalid_choice": "is not among the choices"}
QUOTED_CHARS = 40
NAME_CHARS = 60
NAMES_MAX = 5
OF_PROJECT = "of_project"
COUNTED = "counted"
LEFT_OUT = "left_out"
# The anchor in a comparison's page at which its episodes diverge.
DIVERGENCE_ANCHOR = "first-divergence"


def id_field(label: str, *, error: str) -> forms.IntegerField:
    return forms.IntegerField(
        required=False,
        min_value=1,
        max_value=BIGINT_MAX,
        label=label,
        widget=forms.HiddenInput,
        error_messages=dict.fromkeys(("invalid", "min_value", "max_value"), error),
    )


class Select(forms.Select):
    """A select box that renders its options without templates.

    Rendering a template per option took a tenth of the time of a page that lists hundreds of runs.
    """

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        chosen = set(self.format_value(value))
        options = [(code, SELECTED if str(code) in chosen else "", label) for code, label in self.choices]
        return format_html(
            "<select{}>{}</select>",
            flatatt({"name": name, **self.build_attrs(self.attrs, attrs)}),
            format_html_join("\n", '<option value="{}"{}>{}</option>', options),
        )


def choice_field(choices: Sequence[tuple[str, str]], label: str) -> forms.ChoiceField:
    return forms.ChoiceField(
        required=False, choices=[ANY, *choices], label=label, widget=Select, error_messages=INVALID_CHOICE
    )


def of_project_offer(form: forms.Form) -> None:
    """Add a choice of project to a form if there are several projects."""
    names = projects.names()
    if len(names) > 1:
        form.fields[OF_PROJECT] = forms.ChoiceField(
            choices=[(name, name) for name in names],
            initial=DEFAULT_PROJECT,
            label="For project",
            help_text="Only its episodes are used, and only its keys see the result.",
        )


def name_field(names: Iterable[str], label: str) -> forms.ChoiceField:
    """Return a field for a choice among untrusted names."""
    return choice_field([(name, visible(name)) for name in names], label)


class TextField(forms.CharField):
    """A text field of at most ``max_chars`` characters that accepts only what Postgres can store."""

    def __init__(self, label: str, *, max_chars: int, placeholder: str = "", help_text: str = "") -> None:
        attributes = {
            "type": "search",
            "autocomplete": "off",
            "placeholder": placeholder,
            "maxlength": max_chars,
        }
        widget = forms.TextInput(attrs=attributes)
        super().__init__(required=False, label=label, widget=widget, help_text=help_text)
        self.max_chars = max_chars
        self.validators = []  # Django's default validators also reject NUL, with a different message

    def validate(self, value: Any) -> None:
        super().validate(value)
        if len(value) > self.max_chars:
            raise forms.ValidationError(f"has {len(value):,} characters; the maximum is {self.max_chars}")
        if "\0" in value:
            raise forms.ValidationError("contains the character U+0000, which no text has")


class TaskWordsField(TextField):
    """A field for a query over the words of tasks."""

    def __init__(self, label: str, *, help_text: str = "") -> None:
        placeholder = 'Words, "a phrase", -without'
        super().__init__(label, max_chars=TASK_WORDS_MAX_CHARS, placeholder=placeholder, help_text=help_text)

    def validate(self, value: Any) -> None:
        super().validate(value)
        if value.strip() and not task_query(value):
            raise forms.ValidationError("needs at least one word to match")


class FilterForm(forms.Form):
    """A form of GET parameters. Errors continue a sentence that starts with the value: "is not a number"."""

    data: QueryDict
    use_required_attribute = False
    page = ""
    """The page's name in messages."""
    other_parameters: frozenset[str] = frozenset()
    """Parameters of the page that are not filters."""
    reported_elsewhere: frozenset[str] = frozenset()
    """Fields whose errors are shown elsewhere on the page."""
    is_instant = True
    """True if the list is cheap enough to reload on every keystroke."""
    folded_names: tuple[str, ...] = ()

    def filters(self) -> dict[str, Any]:
        """Return the valid filters that are set."""
        self.is_valid()
        return {name: value for name, value in self.cleaned_data.items() if value not in ("", None)}

    @property
    def in_row(self) -> list[forms.BoundField]:
        """The filters that are shown in one row with the search field."""
        return [one for one in self.visible_fields() if one.name not in ("q", *self.folded_names)]

    @property
    def folded(self) -> list[forms.BoundField]:
        return [self[name] for name in self.folded_names]

    @property
    def folded_set(self) -> int:
        """Number of filters that are set but folded."""
        return sum(bool(field.data) for field in self.folded)

    def blanks_name(self, *names: str) -> None:
        """Use each field's label as the text of its empty choice, because labels are hidden in a row."""
        for name in names:
            field: Any = self.fields[name]
            field.choices = [("", field.label), *list(field.choices)[1:]]

    def error_messages(self) -> list[str]:
        """Return messages about invalid parameters of the address, all of which are ignored."""
        errors = [
            f"{self[name].label}: “{self._quoted(name)}” {errors[0]}. This filter is ignored."
            for name, errors in self.errors.items()
            if name in self.fields and name not in self.reported_elsewhere
        ]
        return errors + self._unknown_errors() + self._repeated_errors()

    def _is_known(self, name: str) -> bool:
        return name in self.fields or name in self.other_parameters

    def _unknown_errors(self) -> list[str]:
        unknown = [name for name in self.data if not self._is_known(name)]
        errors = [
            f"“{cut(visible(name), NAME_CHARS)}” is not a filter of {self.page}; ignored."
            for name in unknown[:NAMES_MAX]
        ]
        more = len(unknown) - NAMES_MAX
        return [*errors, f"{more} more unknown filters; ignored."] if more > 0 else errors

    def _repeated_errors(self) -> list[str]:
        counts = {name: len(self.data.getlist(name)) for name in self.data if self._is_known(name)}
        return [
            f"“{name}” is given {count} times; the last one counts."
            for name, count in counts.items()
            if count > 1
        ]

    def _quoted(self, name: str) -> str:
        return cut(visible(str(self.data.get(name, ""))), QUOTED_CHARS)


class CursorForm(FilterForm):
    """A form for a list that is read page by page. The list's view reads ``sort`` and ``columns``."""

    other_parameters = frozenset({"sort", "columns"})
    cursor = id_field("Cursor", error="is not a position in this list")


class RunFilter(CursorForm):
    page = "the list of runs"
    q = TextField(
        "Search", max_chars=RUN_WORDS_MAX_CHARS, placeholder="Part of a name, model or tag", help_text=""
    )

    def __init__(self, data: Any, *, benchmarks: list[str], models: list[str], kinds: list[str]) -> None:
        super().__init__(data)
        self.fields["benchmark"] = name_field(benchmarks, "Benchmark")
        self.fields["arm"] = choice_field(arm_choices(), "Arm")
        self.fields["model"] = name_field(models, "Model")
        self.fields["kind"] = name_field(kinds, "Kind")
        self.blanks_name("benchmark", "arm", "model", "kind")


class TaskFilter(CursorForm):
    page = "the list of tasks"

    def __init__(self, data: Any, *, benchmarks: list[str], splits: list[str]) -> None:
        super().__init__(data)
        self.fields["benchmark"] = name_field(benchmarks, "Benchmark")
        self.fields["split"] = name_field(splits, "Split")
        self.fields["kind"] = choice_field([(kind, kind_label(kind)) for kind in questions], "Kind")
        self.fields["gap"] = forms.TypedChoiceField(
            required=False,
            choices=[ANY, (COUNTED, "counted"), (LEFT_OUT, "left out")],
            coerce=lambda value: value == COUNTED,
            empty_value=None,
            label="In the gap",
            error_messages=INVALID_CHOICE,
        )
        self.fields["q"] = TaskWordsField(
            "Search", help_text="Matches whole words (case-insensitive) or a full tag."
        )
        self.blanks_name("benchmark", "split", "kind", "gap")


class StepsForm(FilterForm):
    """A form for the first step on a page of steps, at most ``last``; ``tail`` requests the list's end."""

    page = "an episode"
    other_parameters = frozenset({"find"})
    first = id_field("From step", error="is not a step number")
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
            raise forms.ValidationError(f"is after the last step, {self.last:,}")
        return first

    def clean(self) -> dict[str, Any]:
        if self.cleaned_data.get("tail") == "1" and self.cleaned_data.get("first") is not None:
            self.add_error("first", "cannot be combined with tail=1")
        return self.cleaned_data


class RowsForm(FilterForm):
    """A form for the first row on a comparison's page; ``from`` cannot be a Python attribute."""

    page = "a comparison"
    other_parameters = frozenset({"episodes", "report", "benchmark", "a", "b", "better", "pair", "pairs"})

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        self.fields["from"] = id_field("From row", error="is not a row number")
