#pragma once

namespace pacbench::trainer {

/// The moments of the kept elements of a parameter's gradient. `largest` is the largest magnitude;
/// it is NaN when any of them is NaN, and else infinite when one is. All implementations add the
/// squares in the same order. In each chunk of 4096 elements, element i is added to sum i % 16.
/// Then sum k + 8 is added to sum k, k + 4 to k, k + 2 to k, and 1 to 0. Sum 0 is added to the sum
/// of the chunks before.
struct Moments {
  float largest = 0;
  double sum_of_squares = 0;
};

}  // namespace pacbench::trainer
