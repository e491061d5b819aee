#pragma once

#include <vector>

#include "contract/worker/worker_event.h"

namespace pacbench::record {

double length_s(const Span& span);

/// The time that at least one of the spans lasts.
double covered_s(std::vector<Span> spans);

/// The spans in which collectives were under way.
std::vector<Span> wire_spans(const std::vector<BucketTrace>& buckets);

}  // namespace pacbench::record
