#pragma once

#include <cuda_runtime.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "trainer/kernels/cuda_kernels.h"

namespace pacbench::trainer::raw {

/// Throws std::runtime_error unless `status` is success; `what` names what was being done.
void check(cudaError_t status, const char* what);

/// The stream of the calling thread's OnStream.
cudaStream_t current_stream();

template <typename Work>
__global__ void call_for_each_index(std::int64_t count, Work work) {
  const std::int64_t stride = std::int64_t{gridDim.x} * blockDim.x;
  for (std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    work(i);
  }
}

/// Runs `work(i)` on the GPU for i in [0, count), in blocks of 256 threads. A thread handles one i,
/// or several where `count` is above 2^24.
template <typename Work>
void for_each_index(std::int64_t count, Work work) {
  constexpr std::int64_t kThreads = 256;
  constexpr std::int64_t kMostBlocks = 1 << 16;
  if (count <= 0) return;
  const auto blocks = std::min((count + kThreads - 1) / kThreads, kMostBlocks);
  call_for_each_index<<<static_cast<unsigned>(blocks), kThreads, 0, current_stream()>>>(count,
                                                                                        work);
  check(cudaGetLastError(), "starting a kernel");
}

/// An array in the GPU's memory; an array of size 0 takes no memory. It is freed when the stream
/// has done all that was put into the stream before the array's scope ended.
template <typename Number>
class DeviceArray {
 public:
  explicit DeviceArray(std::int64_t size)
      : bytes_{static_cast<std::size_t>(size) * sizeof(Number)} {
    if (bytes_ == 0) return;
    check(cudaMallocAsync(reinterpret_cast<void**>(&numbers_), bytes_, current_stream()),
          "allocating");
  }
  DeviceArray(DeviceArray&& other) noexcept
      : bytes_{other.bytes_}, numbers_{std::exchange(other.numbers_, nullptr)} {}
  DeviceArray& operator=(DeviceArray&&) = delete;
  ~DeviceArray() {
    if (numbers_ != nullptr) cudaFreeAsync(numbers_, current_stream());
  }

  Number* data() const { return numbers_; }

  void clear() {
    if (bytes_ == 0) return;
    check(cudaMemsetAsync(numbers_, 0, bytes_, current_stream()), "clearing");
  }

  /// Copies the array to the host, and waits until the stream has done so.
  void read(Number* to) const {
    if (bytes_ == 0) return;
    check(cudaMemcpyAsync(to, numbers_, bytes_, cudaMemcpyDeviceToHost, current_stream()),
          "reading back");
    wait_for_gpu();
  }

 private:
  std::size_t bytes_;
  Number* numbers_ = nullptr;
};

/// For each word of the mask the number of elements kept before it.
DeviceArray<std::int64_t> kept_before_words(const Mask& mask);

/// Says whether an element is kept and, where `before_words` is not null, its place among the kept
/// ones. The members are pointers, so that kernels can take the object by value.
struct KeptPlaces {
  const std::uint64_t* words;
  const std::int64_t* before_words;

  __device__ bool is_kept(std::int64_t element) const {
    return (words[element / 64] >> (element % 64) & 1) != 0;
  }
  __device__ std::int64_t place(std::int64_t element) const {
    const auto below = (std::uint64_t{1} << (element % 64)) - 1;
    return before_words[element / 64] + __popcll(words[element / 64] & below);
  }
};

}  // namespace pacbench::trainer::raw
