"""The question kinds that benchmarks and services name. Each is a plug-in of ``gymsite/arena/questions``."""

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
    """Return what people call a question kind; a kind without a name keeps its id."""
    return _LABELS.get(kind, kind)
