#pragma once

#include <string>

namespace pacbench {

/// How much two masks agree on what to keep, from their samples (PrunedEvent::mask_sample). The
/// result is the weights kept by both over the weights kept by either, from 0 to 1; it is 1 when
/// neither keeps any. Two random masks that keep a share k come to k / (2 - k).
///
/// For a model with more weights than the sample, this is an estimate J. Its standard error is
/// sqrt(J (1 - J) / m), where m counts the sampled weights that either mask keeps. With samples of
/// 4096 weights it is at most 0.010 at pruning ratio 0.5, and 0.031 at 0.95.
///
/// Throws std::invalid_argument for samples of different length, or that hold anything but
/// hexadecimal digits.
double sample_overlap(const std::string& a, const std::string& b);

}  // namespace pacbench
