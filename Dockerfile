# rankwise in a container, with charts and reports:
#   docker build -t rankwise . && docker run --rm -v "$PWD:/data" rankwise score qrels.txt bm25.run
FROM python:3.13-slim AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends gcc libc6-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /source
COPY pyproject.toml setup.py MANIFEST.in README.md LICENSE ./
COPY src src
RUN python -m venv /opt/rankwise \
    && /opt/rankwise/bin/pip install --no-cache-dir ".[charts]" \
    && /opt/rankwise/bin/rankwise --version | grep -q "with the C kernel"

FROM python:3.13-slim
LABEL org.opencontainers.image.source="https://github.com/OWNER/rankwise"
COPY --from=build /opt/rankwise /opt/rankwise
RUN useradd --create-home --uid 1000 rankwise
USER 1000
WORKDIR /data
ENTRYPOINT ["/opt/rankwise/bin/rankwise"]
CMD ["--help"]
