# pacbench as an image, made with the same steps as on a machine: tools/setup and tools/build.
#
#   docker build -t pacbench .                                  # for the CPU
#   docker build -t pacbench:cuda --build-arg TORCH=cuda .      # "device": "cuda", "backend": "nccl"
#   docker run --rm --cap-add SYS_ADMIN --cap-add NET_ADMIN --cap-add SYS_NICE \
#     --security-opt apparmor=unconfined --security-opt seccomp=unconfined \
#     -v "$PWD/results:/results" pacbench run wan100.json --out /results/wan100
#
# Shaping links takes network namespaces, hence the capabilities and the profiles put aside; it
# touches the container's namespaces only. A GPU takes --gpus all and NVIDIA's container toolkit.
ARG TORCH=cpu

FROM debian:12-slim AS build
ARG TORCH
WORKDIR /opt/pacbench
# Apart from the sources, so that a change of these downloads nothing again.
COPY tools/setup tools/common.sh tools/
COPY plots/requirements.txt plots/
RUN --mount=type=cache,target=/root/.cache tools/setup --figures --torch "$TORCH"
COPY . .
# Said, not found out: an image for GPUs without what is for GPUs is an error here.
RUN --mount=type=cache,target=/root/.cache gpus=$(test "$TORCH" = cuda && echo ON || echo OFF) \
 && cmake --preset release -D PACBENCH_TESTS=OFF -D "PACBENCH_CUDA=$gpus" -D "PACBENCH_NCCL=$gpus" \
 && tools/build \
 && cmake --install build --prefix /usr/local \
 && mkdir -p /usr/local/lib/pacbench

FROM debian:12-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends iproute2 libfmt9 libspdlog1.10 libnl-3-200 \
    libnl-route-3-200 libarchive13 libssl3 libstdc++6 liblzma5 python3 zlib1g \
 && rm -rf /var/lib/apt/lists/*
COPY --from=build /usr/local/bin/ /usr/local/bin/
COPY --from=build /usr/local/share/pacbench/ /usr/local/share/pacbench/
# What the worker opens for GPUs; nothing is in it without them.
COPY --from=build /usr/local/lib/pacbench/ /usr/local/lib/pacbench/
# Where the worker finds torch, and `pacbench plot` its Python.
COPY --from=build /opt/pacbench/.venv/ /opt/pacbench/.venv/
RUN pacbench list methods >/dev/null && pacbench-worker --devices
WORKDIR /usr/local/share/pacbench/scenarios
ENTRYPOINT ["pacbench"]
