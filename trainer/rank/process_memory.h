#pragma once

#include <cstdint>

namespace pacbench::trainer {

/// The resident memory of this process: now, and its peak so far.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

/// Keeps freed memory (up to 1 GiB) in the process, for its next allocation. Otherwise memory goes
/// back to the system after every batch and is mapped and zeroed again, and threads that map memory
/// wait for each other.
void keep_freed_memory();

}  // namespace pacbench::trainer
