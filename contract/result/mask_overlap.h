#pragma once

#include <string>

namespace pacbench {

/// How much two masks agree on what to keep, from their samples (PrunedEvent::sample): weights kept
/// by both over weights kept by either, from 0 to 1; 1 when neither keeps any. Two random masks
/// that keep a share k come to k / (2 - k). Of a model with more weights than the sample this is an
/// estimate J with a standard error of sqrt(J (1 - J) / m), m being the sampled weights that either
/// keeps: at most 0.010 at pruning ratio 0.5, 0.031 at 0.95.
/// Throws std::invalid_argument for samples of different length or that hold anything but
/// hexadecimal digits.
double sample_overlap(const std::string& a, const std::string& b);

}  // namespace pacbench
