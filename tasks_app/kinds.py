"""The question kinds that benchmarks and services name. Each is a plug-in of ``gymsite/arena/questions``."""

FREE_ANSWER = "free_answer"
CHOICE = "choice"
PICTURE = "picture"
TABLE = "table"
CODE = "code"
SITE = "site"
