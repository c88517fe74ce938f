# One image; `python -m gymsite.services.launch NAME` makes it one of the processes.
FROM python:3.11-slim-bookworm

# bubblewrap for programs written by agents and for replays, which Chromium draws; the fonts that pages and
# pictures are drawn with.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap chromium-headless-shell fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/*

# Not the ids of the host's first users: secrets and volumes belong to nobody else by accident.
RUN useradd --uid 10001 --create-home --home-dir /srv/palaestra palaestra
WORKDIR /srv/palaestra/app

# The compiler is for one need of requirements-puzzles.txt, and goes again.
COPY requirements.txt requirements-puzzles.txt ./
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && pip install --no-cache-dir --requirement requirements.txt --requirement requirements-puzzles.txt \
 && apt-get purge --yes --auto-remove gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*

COPY manage.py .env.example ./
COPY core ./core
COPY gymsite ./gymsite
COPY tasks_app ./tasks_app
COPY trajectories ./trajectories
COPY verifiers ./verifiers
COPY templates ./templates
COPY static ./static
RUN python -m compileall -q core gymsite tasks_app trajectories verifiers \
 && install -d -o palaestra -g palaestra /srv/palaestra/var /srv/palaestra/blobs /srv/palaestra/recordings

ENV PYTHONUNBUFFERED=1 \
    VAR_DIR=/srv/palaestra/var \
    BLOB_DIR=/srv/palaestra/blobs \
    RECORDING_DIR=/srv/palaestra/recordings \
    GYM_HOST=0.0.0.0
USER palaestra
ENTRYPOINT ["python", "-m", "gymsite.services.launch"]
