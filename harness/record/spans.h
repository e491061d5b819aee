#pragma once

#include <vector>

#include "contract/worker/worker_event.h"

namespace pacbench::record {

double length_s(const Span& span);

/// The seconds that at least one of the spans covers.
double covered_s(std::vector<Span> spans);

/// The seconds in `late` that no span of `busy` covers.
double uncovered_s(const std::vector<Span>& late, const std::vector<Span>& busy);

/// The spans in which collectives were under way.
std::vector<Span> wire_spans(const std::vector<BucketTrace>& buckets);

}  // namespace pacbench::record
