#pragma once

#include <cstdint>

namespace pacbench::trainer {

/// Of this process, now and at most.
std::int64_t resident_bytes();
std::int64_t peak_resident_bytes();

/// Freed memory stays with the process, for its next allocation: given back after every batch or
/// bucket, it would be mapped and zeroed again, and threads that map memory wait for each other.
/// Encodings of a 1 MB bucket take 1.1 times as long without it in the mean of all methods, THC's
/// 1.6 times (pacbench-exchange-cost --every-method).
void keep_freed_memory();

}  // namespace pacbench::trainer
