"""The settings of all processes; ``GYM_PROCESS`` names the current one.

Each process gets only its own role's secrets and only the parts that it needs. The arena, for instance, has
no sessions, no accounts and no Redis.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from environs import Env

from core.database import addresses
from core.web import assets
from core.work import queues
from gymsite.services import endpoints, secrets

env = Env()
BASE_DIR = Path(__file__).resolve().parent.parent
if env.str("GYM_PROCESS", "manage") == "manage":
    # `up` passes to each process what it may know. If the file were read here, the arena would know
    # everything.
    env.read_env(BASE_DIR / ".env", recurse=False)

PROCESSES = ("manage", "arena", "lab", "live", "worker", "sweeper", "housekeeper", "metrics")
PROCESS: str = env.str("GYM_PROCESS", "manage")
if PROCESS not in PROCESSES:
    raise ValueError(f"GYM_PROCESS is {PROCESS!r}; it must be one of {', '.join(PROCESSES)}")
IS_ARENA = PROCESS == "arena"

VAR_DIR = Path(env.str("VAR_DIR", str(BASE_DIR / "var"))).resolve()
DEBUG = env.bool("GYM_DEBUG", False)

# --- Keys and addresses ----------------------------------------------------------------------------
SECRET_KEY: str = env.str("GYM_SECRET_KEY", "") or secrets.read_or_ephemeral(VAR_DIR, "secret_key")
TOKEN_KEY: bytes = bytes.fromhex(
    env.str("GYM_TOKEN_KEY", "") or secrets.read_or_ephemeral(VAR_DIR, "token_key")
)
# Mock sites are drawn from this salt, so anyone with the salt and the code can compute the answers.
WORLD_SALT: bytes = bytes.fromhex(
    env.str("GYM_WORLD_SALT", "") or secrets.read_or_ephemeral(VAR_DIR, "world_salt")
)

ARENA_PORT = env.int("ARENA_PORT", 8000)
LAB_PORT = env.int("LAB_PORT", 8001)
LIVE_PORT = env.int("LIVE_PORT", 8002)
ARENA_URL: str = env.str("ARENA_URL", f"http://127.0.0.1:{ARENA_PORT}").rstrip("/")
LAB_URL: str = env.str("LAB_URL", f"http://127.0.0.1:{LAB_PORT}").rstrip("/")
LIVE_URL: str = env.str("LIVE_URL", f"http://127.0.0.1:{LIVE_PORT}").rstrip("/")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", ["*"])
USE_X_FORWARDED_HOST = env.bool("BEHIND_PROXY", False)
# Addresses or networks of proxies whose `X-Forwarded-For` is trusted; from anyone else it is ignored.
TRUSTED_PROXIES: list[str] = env.list("TRUSTED_PROXIES", [])
if USE_X_FORWARDED_HOST:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    CSRF_TRUSTED_ORIGINS = [LAB_URL]

# The port of the process that serves the metrics of all; 0 disables metrics. Keep it closed to strangers.
METRICS_PORT = env.int("METRICS_PORT", 8003)
METRICS_HOST: str = env.str("METRICS_HOST", "127.0.0.1")
METRICS_DIR = endpoints.metrics_folder(VAR_DIR)

# --- Database and queue ------------------------------------------------------------------------------
DATABASE_URL: str = env.str("DATABASE_URL", "") or endpoints.database_url(VAR_DIR, role="owner")
DATABASE_POOL_MAX = env.int("DATABASE_POOL_MAX", 0 if PROCESS == "manage" else 4)
# Address that bypasses a pooler such as PgBouncer, for locks and LISTEN; empty if there is no pooler.
DATABASE_DIRECT_URL: str = env.str("DATABASE_DIRECT_URL", "")
SLOW_STATEMENT_MS = env.int("SLOW_STATEMENT_MS", 1_000)
# A connection's caches in Postgres keep growing, so connections are replaced before they get old.
CONNECTION_MAX_S = 600.0
_pool: dict[str, Any] = (
    {"pool": {"min_size": 1, "max_size": DATABASE_POOL_MAX, "timeout": 5.0, "max_lifetime": CONNECTION_MAX_S}}
    if DATABASE_POOL_MAX
    else {}
)
_database = addresses.django_database(DATABASE_URL)
DATABASES: dict[str, Any] = {
    "default": {
        "ENGINE": "core.database.postgresql",
        **_database,
        "CONN_HEALTH_CHECKS": True,
        # With a pooler, each transaction may get a different session.
        "DISABLE_SERVER_SIDE_CURSORS": bool(DATABASE_DIRECT_URL),
        "OPTIONS": {
            **addresses.LINE_OPTIONS,
            **_database["OPTIONS"],
            **_pool,
            "prepare_threshold": 2,  # for hot statements, which bind parameters on the server
            "application_name": f"palaestra-{env.str('DATABASE_SESSION', PROCESS)}",
        },
    }
}
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

REDIS_URL: str = "" if IS_ARENA else env.str("REDIS_URL", "") or endpoints.redis_url(VAR_DIR)
CELERY_BROKER_URL = addresses.celery_broker_url(REDIS_URL)
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "socket_timeout": 2.0,
    "socket_connect_timeout": 1.0,
    "socket_keepalive": True,
}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_DEFAULT_QUEUE = queues.VERIFY.id
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_TASK_TIME_LIMIT = 120

# --- Apps --------------------------------------------------------------------------------------------
INSTALLED_APPS = ["tasks_app", "trajectories", "gymsite", "django.contrib.staticfiles"]
if not IS_ARENA:
    INSTALLED_APPS = [
        "django.contrib.auth",
        "django.contrib.contenttypes",
        "django.contrib.sessions",
        "django_htmx",
        "rest_framework",
        "drf_spectacular",
        "channels",
        "verifiers",
        *INSTALLED_APPS,
    ]
if PROCESS == "manage" and (BASE_DIR / "validation").is_dir():
    INSTALLED_APPS.append(
        "validation"
    )  # commands that check the product, which are in a checkout but not in the image

ARENA_MIDDLEWARE = [
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "gymsite.arena.middleware.ArenaMiddleware",
    "gymsite.arena.request_rates.RequestRateMiddleware",
]
# The API has neither cookies nor pages, so it runs without the middleware for them.
API_MIDDLEWARE = ["core.web.middleware.SecurityHeadersMiddleware"]
LAB_MIDDLEWARE = [
    *API_MIDDLEWARE,
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
]
MIDDLEWARE = ARENA_MIDDLEWARE if IS_ARENA else LAB_MIDDLEWARE
ROOT_URLCONF = "gymsite.urls_arena" if IS_ARENA else "gymsite.urls_lab"

CONTEXT_PROCESSORS = [
    "django.template.context_processors.request",
    "django.contrib.auth.context_processors.auth",
]
# Agents wait for the arena's pages, so a faster engine renders them (docs/decisions/0074).
ARENA_TEMPLATES = {
    "BACKEND": "django.template.backends.jinja2.Jinja2",
    "DIRS": [BASE_DIR / "gymsite" / "arena" / "templates"],
    "OPTIONS": {"environment": "gymsite.arena.template_engine.environment"},
}
LAB_TEMPLATES = {
    "BACKEND": "django.template.backends.django.DjangoTemplates",
    "DIRS": sorted((BASE_DIR / "trajectories").rglob("templates")),
    "OPTIONS": {"libraries": {"lab": "trajectories.shell.tags"}, "context_processors": CONTEXT_PROCESSORS},
}
# Commands render pages of both arena and lab.
TEMPLATES = [
    *([ARENA_TEMPLATES] if PROCESS in ("arena", "manage") else []),
    *([] if IS_ARENA else [LAB_TEMPLATES]),
]
ASGI_APPLICATION = "gymsite.asgi_live.application"

# --- Files -------------------------------------------------------------------------------------------
# The version in the address makes every file immutable, without a build step or `collectstatic`.
# Scripts and styles of a feature of the lab are in its own folder; what several share is in the first one.
STATICFILES_DIRS = [BASE_DIR / "static", *sorted((BASE_DIR / "trajectories").rglob("static"))]
STATIC_URL = f"/static/{assets.files_version(STATICFILES_DIRS)}/"
WHITENOISE_USE_FINDERS = True
WHITENOISE_AUTOREFRESH = DEBUG
WHITENOISE_ALLOW_ALL_ORIGINS = False
WHITENOISE_MAX_AGE = 0 if DEBUG else 365 * 24 * 3600
WHITENOISE_IMMUTABLE_FILE_TEST = "^/static/[0-9a-f]{12}/"


def _folder(path: str | Path) -> dict[str, Any]:
    return {"BACKEND": "django.core.files.storage.FileSystemStorage", "OPTIONS": {"location": str(path)}}


def _files(*, bucket: str, folder: str | Path) -> dict[str, Any]:
    """Return the settings of a storage: in a bucket if one is named, or else in a folder."""
    if not bucket:
        return _folder(folder)
    options = {
        "bucket_name": bucket,
        "endpoint_url": env.str("S3_ENDPOINT_URL", "") or None,
        "region_name": env.str("S3_REGION", "") or None,
        "access_key": env.str("S3_ACCESS_KEY", "") or None,
        "secret_key": env.str("S3_SECRET_KEY", "") or None,
    }
    return {"BACKEND": "core.storage.buckets.BucketStorage", "OPTIONS": options}


STORAGES: dict[str, Any] = {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
    "blobs": _files(bucket=env.str("BLOB_BUCKET", ""), folder=env.str("BLOB_DIR", "") or VAR_DIR / "blobs"),
    # Recordings are separate from blobs, because the arena writes here and must not be able to touch
    # screenshots.
    "recordings": _files(
        bucket=env.str("RECORDING_BUCKET", ""), folder=env.str("RECORDING_DIR", "") or VAR_DIR / "recordings"
    ),
    # Exports and label files may contain golds, so the arena cannot read them, and a hash alone gives no
    # access.
    "private": _files(
        bucket=env.str("PRIVATE_BUCKET", ""), folder=env.str("PRIVATE_DIR", "") or VAR_DIR / "private"
    ),
    "default": _folder(VAR_DIR / "files"),
}

# --- People ------------------------------------------------------------------------------------------
LOGIN_URL = "/login/"
AUTHENTICATION_BACKENDS = ["trajectories.shell.roles.LabBackend"]
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"
SESSION_COOKIE_NAME = "palaestra_lab"
SESSION_COOKIE_SECURE = LAB_URL.startswith("https://")
CSRF_FAILURE_VIEW = "trajectories.shell.access.form_refused"
CSRF_COOKIE_NAME = "palaestra_csrf"
CSRF_COOKIE_SECURE = SESSION_COOKIE_SECURE
AUTH_PASSWORD_VALIDATORS = [{"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"}]

# --- API ---------------------------------------------------------------------------------------------
REST_FRAMEWORK: dict[str, Any] = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["trajectories.record.api.auth.KeyAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["trajectories.record.api.auth.Closed"],
    "DEFAULT_RENDERER_CLASSES": ["core.api.responses.MsgspecRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.api.responses.MsgspecParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "core.api.responses.JsonOnly",
    "URL_FORMAT_OVERRIDE": None,
    "EXCEPTION_HANDLER": "core.api.responses.error_response",
    "DEFAULT_SCHEMA_CLASS": "core.api.schema.CallSchema",
    "UNAUTHENTICATED_USER": None,
}
SPECTACULAR_SETTINGS: dict[str, Any] = {
    "TITLE": "Palaestra",
    "DESCRIPTION": "A reasoning gym for web agents: tasks, episodes, steps, verdicts.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.0",
    "SERVE_INCLUDE_SCHEMA": False,
    "PATH_CONVERTER_OVERRIDES": {
        "id": {"type": "integer", "minimum": 1},
        "sha256": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
    },
    "POSTPROCESSING_HOOKS": ["core.structs.schema.components_append", "core.api.schema.calls_complete"],
}

# --- Annotation: the judge model of this installation -----------------------------------------------------
ANNOTATION_JUDGE_URL: str = env.str("ANNOTATION_JUDGE_URL", "")
ANNOTATION_JUDGE_MODEL: str = env.str("ANNOTATION_JUDGE_MODEL", "")
ANNOTATION_JUDGE_KEY: str = env.str("ANNOTATION_JUDGE_KEY", "")

# --- Judges whose verdicts reward runs: they work in the background ---------------------------------------
JUDGE_KEYS: dict[str, str] = env.dict("JUDGE_KEYS", {})
JUDGE_CALLS_AT_ONCE = env.int("JUDGE_CALLS_AT_ONCE", 8)
JUDGE_CALLS_PER_MINUTE = env.int("JUDGE_CALLS_PER_MINUTE", 600)
JUDGE_TIMEOUT_S = env.float("JUDGE_TIMEOUT_S", 60.0)

# --- Exports of training data ---------------------------------------------------------------------------
EXPORT_DAYS = env.int("EXPORT_DAYS", 30)

# --- Limits: an error message names the limit that caused it -------------------------------------------
API_BODY_MAX_BYTES = env.int("API_BODY_MAX_BYTES", 32 * 1024 * 1024)
THOUGHT_MAX_CHARS = env.int("THOUGHT_MAX_CHARS", 200_000)
STEP_MAX_BYTES = env.int("STEP_MAX_BYTES", 4 * 1024 * 1024)
STEPS_PER_CALL_MAX = env.int("STEPS_PER_CALL_MAX", 1_000)
BLOB_MAX_BYTES = env.int("BLOB_MAX_BYTES", 32 * 1024 * 1024)
ANSWER_MAX_CHARS = env.int("ANSWER_MAX_CHARS", 100_000)
EPISODES_PER_CALL_MAX = env.int("EPISODES_PER_CALL_MAX", 10_000)
# Each fork must be restored on a page of its own, and reads the records of its parents.
FORKS_PER_CALL_MAX = env.int("FORKS_PER_CALL_MAX", 2_000)
# Maximum number of texts, and of solutions, in one check against golds; each takes up to 10 s.
LEAK_CHECKS_PER_CALL_MAX = env.int("LEAK_CHECKS_PER_CALL_MAX", 200)
PROMPT_CHARS_MAX = env.int("PROMPT_CHARS_MAX", 64_000_000)
ACTIVE_EPISODES_MAX = env.int("ACTIVE_EPISODES_MAX", 20_000)
# Recorded page views per episode; later ones are served but not recorded.
PAGES_SERVED_MAX = env.int("PAGES_SERVED_MAX", 5_000)
# Requests per second of one episode to each server process; further ones are answered 429.
EPISODE_REQUESTS_PER_S = env.float("EPISODE_REQUESTS_PER_S", 50.0)
PAGE_EVENTS_MAX = env.int("PAGE_EVENTS_MAX", 2_000)
PAGE_EVENT_BYTES_MAX = env.int("PAGE_EVENT_BYTES_MAX", 1_000_000)
# Limits on an episode's DOM recording (`recording: full`); bytes are those of compressed chunks.
RECORDING_CHUNKS_MAX = env.int("RECORDING_CHUNKS_MAX", 4_000)
RECORDING_BYTES_MAX = env.int("RECORDING_BYTES_MAX", 50_000_000)
# Steps of an episode whose DOM replay is automatically compared with the screenshot; 0 for none.
FIDELITY_STEPS_MAX = env.int("FIDELITY_STEPS_MAX", 20)
DATA_UPLOAD_MAX_MEMORY_SIZE = API_BODY_MAX_BYTES
ARENA_BODY_MAX_BYTES = env.int("ARENA_BODY_MAX_BYTES", 16 * 1024 * 1024)
BODY_MAX_BYTES = ARENA_BODY_MAX_BYTES if IS_ARENA else max(API_BODY_MAX_BYTES, BLOB_MAX_BYTES)
# Maximum bytes of a body in memory (the rest goes to disk), and of all bodies in a process, in memory and on
# disk.
BODY_MEMORY_BYTES = env.int("BODY_MEMORY_BYTES", 256 * 1024)
BODIES_MAX_BYTES = env.int("BODIES_MAX_BYTES", 512 * 1024 * 1024)
# A body that takes longer than ten seconds must arrive at least at this rate.
BODY_BYTES_PER_S_MIN = env.int("BODY_BYTES_PER_S_MIN", 16 * 1024)
# This limit applies to each of the lab's two processes separately.
EXPORTS_AT_ONCE = env.int("EXPORTS_AT_ONCE", 8)
# A run's page warns if the share of void episodes of the run, a policy version or a task exceeds this.
VOID_ALARM_SHARE = env.float("VOID_ALARM_SHARE", 0.02)

# --- Time limits in seconds, by the database's clock (leases and unused episodes by the sweeper's) --------
LEASE_S = env.float("LEASE_S", 300.0)
# An episode whose lease is lost becomes void after this time without a heartbeat. Heartbeats come every 60 s.
LEASE_GRACE_S = env.float("LEASE_GRACE_S", 90.0)
UNUSED_EPISODE_S = env.float("UNUSED_EPISODE_S", 24 * 3600.0)
# A takeover ends after this time without a request from the person.
TAKEOVER_IDLE_S = env.float("TAKEOVER_IDLE_S", 900.0)
STEP_GRACE_S = env.float("STEP_GRACE_S", 600.0)
VERIFIER_TIMEOUT_S = env.float("VERIFIER_TIMEOUT_S", 10.0)
CLAIM_LOST_S = env.float("CLAIM_LOST_S", 60.0)
# Delays before a job that produced no verdict is sent again for the first time, the second time, and so on.
RESEND_AFTER_S: list[float] = env.list("RESEND_AFTER_S", [5.0, 30.0, 120.0], subcast=float)
# A tool call without a result after this time counts as failed, and the tool may be called again.
TOOL_CALL_TIMEOUT_S = env.float("TOOL_CALL_TIMEOUT_S", 45.0)
VERIFY_CHILDREN = env.int("VERIFY_CHILDREN", 4)
# Number of processes for each of the queues pictures, facts and replays.
MEDIA_PROCESSES = env.int("MEDIA_PROCESSES", max(1, min(8, (os.cpu_count() or 1) // 2)))
SANDBOXES = env.int("SANDBOXES", min(16, os.cpu_count() or 1))
# Time limits for clients: to send a body, and to read the next part of a response.
BODY_S = env.float("BODY_S", 300.0)
CLIENT_STALL_S = env.float("CLIENT_STALL_S", 120.0)
API_KEY_CACHE_S = env.float("API_KEY_CACHE_S", 5.0)

# --- Language and clock ----------------------------------------------------------------------------------
USE_I18N = False
TIME_ZONE = "UTC"

LOG_FORMAT: str = env.str("LOG_FORMAT", "plain")
if LOG_FORMAT not in ("plain", "json"):
    raise ValueError(f"LOG_FORMAT is {LOG_FORMAT!r}; it must be plain or json")
LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "plain": {"()": "core.telemetry.logs.PlainFormatter"},
        "json": {"()": "core.telemetry.logs.JsonFormatter", "process": PROCESS},
    },
    "filters": {"refusals": {"()": "core.telemetry.logs.RefusalFilter"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["refusals"]}
    },
    "root": {"handlers": ["stderr"], "level": env.str("LOG_LEVEL", "INFO")},
    "loggers": {
        "django.request": {"level": "ERROR"},
        "celery.app.trace": {"level": "WARNING"},
        "celery.worker.strategy": {"level": "WARNING"},
    },
}
