#include <cub/device/device_scan.cuh>
#include <stdexcept>
#include <string>

#include "trainer/kernels/cuda/launch.cuh"

namespace pacbench::trainer::raw {
namespace {

thread_local cudaStream_t thread_stream = nullptr;

}  // namespace

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw std::runtime_error{std::string{"CUDA kernels: "} + what +
                           " failed: " + cudaGetErrorString(status)};
}

cudaStream_t current_stream() { return thread_stream; }

OnStream::OnStream(int device, void* stream) : outer_stream_{thread_stream} {
  check(cudaGetDevice(&outer_device_), "asking for the current device");
  check(cudaSetDevice(device), "choosing the device");
  thread_stream = static_cast<cudaStream_t>(stream);
}

OnStream::~OnStream() {
  thread_stream = static_cast<cudaStream_t>(outer_stream_);
  cudaSetDevice(outer_device_);
}

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
  check(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, thread_stream), "copying");
}

void wait_for_gpu() { check(cudaStreamSynchronize(thread_stream), "waiting for the stream"); }

const KernelTable& cuda_kernels() {
  static const KernelTable table{kCudaMasks, kCudaRounding, kCudaLanes};
  return table;
}

DeviceArray<std::int64_t> kept_before_words(const Mask& mask) {
  const std::int64_t count = (mask.elements + 63) / 64;
  const auto* words = mask.words;
  DeviceArray<std::int64_t> before{count};
  if (count == 0) return before;
  auto* counts = before.data();
  for_each_index(count, [=] __device__(std::int64_t i) { counts[i] = __popcll(words[i]); });
  std::size_t room = 0;
  check(cub::DeviceScan::ExclusiveSum(nullptr, room, counts, counts, count, current_stream()),
        "planning a prefix sum");
  const DeviceArray<std::uint8_t> temporary{static_cast<std::int64_t>(room)};
  check(cub::DeviceScan::ExclusiveSum(temporary.data(), room, counts, counts, count,
                                      current_stream()),
        "a prefix sum");
  return before;
}

}  // namespace pacbench::trainer::raw
