// In place of the .cu files where CUDA's compiler is not.
#include <stdexcept>

#include "trainer/kernels/cuda/cuda_kernels.h"

namespace pacbench::trainer::raw {
namespace {

[[noreturn]] void refuse() {
  throw std::runtime_error{
      "this build has no kernels for GPUs: configure it with -DPACBENCH_CUDA=ON to have them, or "
      "to "
      "be told why it cannot"};
}

}  // namespace

OnStream::OnStream(int, void*) { refuse(); }
OnStream::~OnStream() = default;

const KernelTable& cuda_kernels() { refuse(); }

}  // namespace pacbench::trainer::raw
