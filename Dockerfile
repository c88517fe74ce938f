# One image for all processes; `python -m gymsite.services.launch NAME` selects one.
FROM python:3.11-slim-bookworm

# bubblewrap isolates programs written by agents, and DOM replays, which Chromium renders. The fonts are used by
# pages and pictures.
RUN apt-get update \
 && apt-get install --yes --no-install-recommends bubblewrap chromium-headless-shell fonts-dejavu-core \
 && rm -rf /var/lib/apt/lists/*

# The id is high, so that secrets and volumes do not accidentally belong to a user of the host.
RUN useradd --uid 10001 --create-home --home-dir /srv/palaestra palaestra
WORKDIR /srv/palaestra/app

# One package of requirements-puzzles.txt needs the compiler, which is removed again afterwards.
COPY requirements.txt requirements-puzzles.txt ./
RUN apt-get update \
 && apt-get install --yes --no-install-recommends gcc libc6-dev \
 && pip install --no-cache-dir --requirement requirements.txt --requirement requirements-puzzles.txt \
 && apt-get purge --yes --auto-remove gcc libc6-dev \
 && rm -rf /var/lib/apt/lists/*

# The server imports only `palaestra.protocol`, which needs none of the client's libraries.
COPY client ./client
RUN pip install --no-cache-dir --no-deps ./client && rm -r ./client

COPY manage.py .env.example ./
COPY core ./core
COPY gymsite ./gymsite
COPY tasks_app ./tasks_app
COPY trajectories ./trajectories
COPY verifiers ./verifiers
COPY static ./static
RUN python -m compileall -q core gymsite tasks_app trajectories verifiers \
 && install -d -o palaestra -g palaestra /srv/palaestra/var /srv/palaestra/var/run \
      /srv/palaestra/var/run/metrics /srv/palaestra/blobs /srv/palaestra/recordings /srv/palaestra/private

ENV PYTHONUNBUFFERED=1 \
    VAR_DIR=/srv/palaestra/var \
    BLOB_DIR=/srv/palaestra/blobs \
    RECORDING_DIR=/srv/palaestra/recordings \
    PRIVATE_DIR=/srv/palaestra/private \
    GYM_HOST=0.0.0.0
USER palaestra
ENTRYPOINT ["python", "-m", "gymsite.services.launch"]
