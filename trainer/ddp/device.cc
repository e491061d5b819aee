#include "trainer/ddp/device.h"

#include <ATen/Context.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "base/json_reader.h"

namespace pacbench {
namespace {

[[noreturn]] void refuse(const std::string& reason) {
  throw ConfigError{"worker specification",
                    {{"/device", fmt::format("found \"cuda\", but {}; expected \"cpu\"", reason)}}};
}

}  // namespace

c10::Device compute_device(const std::string& name) {
  if (name == "cpu") return c10::kCPU;
  // Never closed: torch registers itself in tables that outlive it.
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    refuse(fmt::format("torch's library for GPUs cannot be loaded ({})", ::dlerror()));
  }
  if (!at::hasCUDA()) refuse("torch finds no GPU");
  return {c10::kCUDA, 0};
}

}  // namespace pacbench
