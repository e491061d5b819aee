#pragma once

#include <memory>
#include <string>

#include "trainer/collectives/process_backend.h"

namespace pacbench::trainer {

/// Joins a group of processes over Gloo. Binds every connection to the device `interface`; when it
/// is empty, Gloo chooses. Gloo's threads inherit the scheduling class of the calling thread
/// (collectives/real_time.h). Blocks until all ranks have met. Throws c10::Error when that exceeds
/// the timeout.
std::shared_ptr<Backend> join_gloo_group(const Membership& membership,
                                         const std::string& interface);

}  // namespace pacbench::trainer
