# Lexalign on a CPU:
#
#     docker build --tag lexalign .
#     docker run --rm lexalign                       # the demonstration
#     docker run --rm -v "$PWD:/data" lexalign induce en.vec de.vec --lexicon seeds.txt --output en-de
#
# Files of /data belong to the user 1000; add --user "$(id -u):$(id -g)" if you are another one.
FROM python:3.13-slim AS build
WORKDIR /build
COPY pyproject.toml README.md LICENSE ./
COPY src src
RUN python -m pip install --no-cache-dir build \
    && python -m build --wheel --outdir /wheels

FROM python:3.13-slim
RUN apt-get update \
    && apt-get install --yes --no-install-recommends libgomp1 \
    && rm -rf /var/lib/apt/lists/*
COPY --from=build /wheels /wheels
RUN python -m pip install --no-cache-dir /wheels/*.whl \
    && rm -rf /wheels \
    && useradd --create-home --uid 1000 lexalign \
    && mkdir /data \
    && chown lexalign /data
USER lexalign
WORKDIR /data
ENTRYPOINT ["lexalign"]
CMD ["demo"]
