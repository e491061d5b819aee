#pragma once

#include "contract/worker/measure_spec.h"

namespace pacbench::trainer {

/// Role measure: meets the other ranks as role train does and times all-reduces through the same
/// kinds of group, engine and threads. Then, where the specification asks for it, times small
/// all-reduces with all threads in the ordinary class. Writes an event for each size
/// (contract/worker/measure_spec.h) to the descriptor `events`. Throws when a rank fails or does
/// not come within the timeout.
void measure_all_reduces(const MeasureSpec& spec, int events);

}  // namespace pacbench::trainer
