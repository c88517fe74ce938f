"""Ids of the question kinds that benchmarks and services use.

Each kind is a plug-in in ``gymsite/arena/questions``.
"""

FREE_ANSWER = "free_answer"
CHOICE = "choice"
PICTURE = "picture"
TABLE = "table"
CODE = "code"
SITE = "site"
TOOLS = "tools"

_LABELS = {
    FREE_ANSWER: "Free answer",
    CHOICE: "Choice",
    PICTURE: "Picture",
    TABLE: "Table",
    CODE: "Program",
    SITE: "Mock site",
    TOOLS: "Tools",
}


def kind_label(kind: str) -> str:
    """Return a question kind's name for people, or its id if it has none."""
    return _LABELS.get(kind, kind)
