# pacbench for the CPU, made with the same steps as on a machine: tools/setup and tools/build.
#
#   docker build -t pacbench .
#   docker run --rm --cap-add SYS_ADMIN --cap-add NET_ADMIN --cap-add SYS_NICE \
#     --security-opt apparmor=unconfined --security-opt seccomp=unconfined \
#     -v "$PWD/results:/results" pacbench run wan100.json --out /results/wan100
#
# Shaping links takes network namespaces, hence the capabilities and the profiles put aside; it
# touches the container's namespaces only. There is no image for GPUs yet.
FROM debian:12-slim AS build
COPY . /opt/pacbench
WORKDIR /opt/pacbench
RUN tools/setup && tools/build && cmake --install build --prefix /usr/local

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends iproute2 libfmt9 libspdlog1.10 libnl-3-200 \
    libnl-route-3-200 libssl3 libstdc++6 \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/ /usr/local/bin/
COPY --from=build /usr/local/share/pacbench/ /usr/local/share/pacbench/
# The worker finds torch where it was built. Only the libraries: it runs no Python.
COPY --from=build /opt/pacbench/.venv/lib/python3.11/site-packages/torch/lib/ \
                  /opt/pacbench/.venv/lib/python3.11/site-packages/torch/lib/
COPY --from=build /opt/pacbench/.venv/lib/python3.11/site-packages/nvidia/ \
                  /opt/pacbench/.venv/lib/python3.11/site-packages/nvidia/
RUN pacbench list methods >/dev/null
WORKDIR /usr/local/share/pacbench/scenarios
ENTRYPOINT ["pacbench"]
