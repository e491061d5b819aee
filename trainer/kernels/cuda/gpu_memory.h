#pragma once

#include <cstddef>
#include <string>

namespace pacbench::trainer::raw {

/// Says why there is no GPU to run kernels on; empty when there is one.
std::string no_gpu();

/// Allocates memory that the host and the first GPU can use; it moves to where it is used. All
/// functions of this header but free_shared and no_gpu throw std::runtime_error on a failure, and
/// where there is no GPU.
void* allocate_shared(std::size_t bytes);
void free_shared(void* memory) noexcept;

/// Puts a copy within the GPU's memory into the stream of the calling thread's OnStream.
void copy_on_gpu(void* to, const void* from, std::size_t bytes);

/// Waits for all that was put into the stream of the calling thread's OnStream.
void wait_for_gpu();

}  // namespace pacbench::trainer::raw
