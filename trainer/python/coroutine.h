#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>

#include "trainer/collectives/group.h"
#include "trainer/python/held.h"

namespace pacbench::trainer::python {

/// Where a coroutine of a user's class stops: at a collective, at an average by a method inside, or
/// at its end with a result.
struct Stop {
  std::optional<Collective> call;
  std::optional<std::size_t> inner;  ///< the number of the method inside
  bool keeps_rest = false;           ///< of the method inside
  at::Tensor values;                 ///< for the method inside; or the result

  bool ended() const { return !call && !inner; }
};

/// Runs a coroutine of `adapter` up to its next stop. `answer` is that of its last one.
Stop go_on(const Held& adapter, const Held& coroutine, const std::optional<at::Tensor>& answer);

/// Carries out the collective of a stop. Throws std::logic_error for one that Python cannot name.
PendingCollective issue(const Collective& call, Group& group);

}  // namespace pacbench::trainer::python
