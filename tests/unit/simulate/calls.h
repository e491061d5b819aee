#pragma once

#include <string>

#include "simulate/gloo/algorithms.h"

namespace pacbench::simulate {

/// A collective of `elements` floats.
inline Call call_of(const std::string& op, std::int64_t elements) {
  Call call;
  call.op = op;
  call.dtype = "float32";
  call.elements = elements;
  call.payload_bytes = 4 * elements;
  return call;
}

}  // namespace pacbench::simulate
