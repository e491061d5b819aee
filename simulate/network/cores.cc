#include "simulate/network/cores.h"

#include <algorithm>
#include <utility>

namespace pacbench::simulate {

void Cores::work(double seconds, Then then) {
  if (free_at_s_.empty()) return network_.after(seconds, std::move(then));
  const double now_s = network_.now_s();
  const double end_s = std::max(now_s, free_at_s_.top()) + seconds;
  free_at_s_.pop();
  free_at_s_.push(end_s);
  network_.after(end_s - now_s, std::move(then));
}

}  // namespace pacbench::simulate
