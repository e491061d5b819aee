#pragma once

#include <ostream>

#include "contract/catalogue/catalogue.h"
#include "contract/scenario/scenario.h"
#include "trainer/methods/method.h"

namespace pacbench {

/// Prints a method in GoogleTest's messages under the label that it has in reports. `method` must
/// have all of its options.
inline void PrintTo(const Choice& method, std::ostream* out) {
  const auto methods = trainer::method_infos();
  if (const auto* info = find_named(methods, method.name)) {
    *out << default_label(*info, method.options, methods);
  }
}

}  // namespace pacbench
