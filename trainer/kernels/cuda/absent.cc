// Replaces the .cu files in a build without CUDA.
#include <stdexcept>

#include "trainer/kernels/cuda_kernels.h"

namespace pacbench::trainer::raw {
namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error{
      "this build has no kernels for GPUs: configure it with -DPACBENCH_CUDA=ON, which builds them "
      "or says what is missing"};
}

}  // namespace

OnStream::OnStream(int, void*) { refuse(); }
OnStream::~OnStream() = default;

const KernelTable& cuda_kernels() { refuse(); }

std::string no_gpu() { return "this build has no kernels for GPUs"; }
void* allocate_shared(std::size_t) { refuse(); }
void free_shared(void*) noexcept {}
void copy_on_gpu(void*, const void*, std::size_t) { refuse(); }
void wait_for_gpu() { refuse(); }

}  // namespace pacbench::trainer::raw
