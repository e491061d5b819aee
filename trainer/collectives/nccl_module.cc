#include "trainer/collectives/nccl_module.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <stdexcept>

#include "base/subprocess.h"

namespace pacbench::trainer {
namespace {

constexpr const char* kFile = "libpacbench_nccl.so";

std::filesystem::path module_path() {
  const std::filesystem::path own = own_folder();
  for (const auto& folder : {own, own / "../lib/pacbench"}) {
    if (std::filesystem::exists(folder / kFile)) return folder / kFile;
  }
  return {};
}

const NcclModule* load() {
  const auto path = module_path();
  if (path.empty()) {
    throw std::runtime_error{fmt::format(
        "this build has no NCCL: {} is neither in {} nor in ../lib/pacbench from there; build "
        "pacbench where nvcc, nccl.h and torch's CUDA libraries are (cmake says what is missing)",
        kFile, own_folder())};
  }
  // The module is never closed, like torch's own libraries that it loads.
  void* module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) {
    throw std::runtime_error{
        fmt::format("{} cannot be loaded ({}); tools/setup --torch cuda installs what it needs",
                    path.string(), ::dlerror())};
  }
  const auto factory =
      reinterpret_cast<decltype(&pacbench_nccl_module)>(::dlsym(module, "pacbench_nccl_module"));
  if (factory == nullptr) {
    throw std::runtime_error{
        fmt::format("{} is not pacbench's NCCL module: {}; install pacbench again", path.string(),
                    ::dlerror())};
  }
  return factory();
}

}  // namespace

const NcclModule& nccl_module() {
  static const NcclModule* const module = load();
  return *module;
}

}  // namespace pacbench::trainer
