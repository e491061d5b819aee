#pragma once

#include "contract/worker/measure_spec.h"

namespace pacbench::trainer {

/// Role measure: meets the other ranks as role train does and times all-reduces through the same
/// group, engine and threads. Writes an event for each (contract/worker/measure_spec.h) to standard
/// output. Throws when a rank fails or does not come within the timeout.
void measure_all_reduces(const MeasureSpec& spec);

}  // namespace pacbench::trainer
