#include "trainer/kernels/cuda/gpu_memory.h"

#include "trainer/kernels/cuda/launch.cuh"

namespace pacbench::trainer::raw {

std::string no_gpu() {
  int gpus = 0;
  const auto status = cudaGetDeviceCount(&gpus);
  if (status != cudaSuccess) return cudaGetErrorString(status);
  return gpus > 0 ? "" : "CUDA finds no GPU";
}

void* allocate_shared(std::size_t bytes) {
  void* memory = nullptr;
  check(cudaMallocManaged(&memory, bytes), "allocating memory of host and GPU");
  return memory;
}

void free_shared(void* memory) noexcept { cudaFree(memory); }

void copy_on_gpu(void* to, const void* from, std::size_t bytes) {
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, current_stream()), "copying");
}

void wait_for_gpu() { wait_for_stream(); }

}  // namespace pacbench::trainer::raw
