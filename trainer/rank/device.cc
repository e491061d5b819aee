#include "trainer/rank/device.h"

#include <ATen/Context.h>
#include <c10/core/impl/VirtualGuardImpl.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include "trainer/collectives/nccl_module.h"

namespace pacbench::trainer {
namespace {

std::string why_no_gpu_is_shown() {
  // The driver returns CUDA_ERROR_OPERATING_SYSTEM to a process that it does not find in /proc.
  constexpr int kOperatingSystem = 304;
  using Start = int (*)(unsigned);
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  const auto start = reinterpret_cast<Start>(::dlsym(driver, "cuInit"));
  const int error = start == nullptr ? 0 : start(0);
  if (error == kOperatingSystem) {
    return "NVIDIA's driver does not find this process in /proc (cuInit: error 304): its PID "
           "namespace needs a /proc of its own, but mounting one was refused, as in some "
           "containers (docker's --security-opt apparmor=unconfined allows it)";
  }
  return fmt::format(
      "NVIDIA's driver shows this process no GPU (cuInit: {}; nvidia-smi lists all GPUs, "
      "CUDA_VISIBLE_DEVICES can hide some)",
      error == 0 ? "no error" : fmt::format("error {}", error));
}

/// Why torch can use no GPU; empty when it can.
std::string no_gpus() {
  if (::dlopen("libcuda.so.1", RTLD_NOW) == nullptr) return "there is no NVIDIA driver here";
  // The library is never closed, because torch registers itself in tables that would outlive it.
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    return fmt::format(
        "torch's library for GPUs cannot be loaded ({}); tools/setup --torch cuda "
        "installs what it needs",
        ::dlerror());
  }
  return at::hasCUDA() ? "" : why_no_gpu_is_shown();
}

c10::impl::VirtualGuardImpl gpus() { return c10::impl::VirtualGuardImpl{c10::kCUDA}; }

std::string name_of_gpu(int number) {
  using GetDevice = int (*)(int*, int);
  using GetName = int (*)(char*, int, int);
  void* driver = ::dlopen("libcuda.so.1", RTLD_NOW);
  if (driver == nullptr) return "unknown";
  const auto get_device = reinterpret_cast<GetDevice>(::dlsym(driver, "cuDeviceGet"));
  const auto get_name = reinterpret_cast<GetName>(::dlsym(driver, "cuDeviceGetName"));
  int device = 0;
  char name[256] = "";
  if (get_device == nullptr || get_name == nullptr || get_device(&device, number) != 0 ||
      get_name(name, sizeof name, device) != 0) {
    return "unknown";
  }
  return name;
}

[[noreturn]] void refuse(const char* pointer, const std::string& reason) {
  throw ConfigError{"worker specification", {{pointer, reason}}};
}

}  // namespace

c10::Device compute_device(const WorkerSpec& spec) {
  if (spec.device == "cpu") return c10::kCPU;
  if (const auto reason = no_gpus(); !reason.empty()) {
    refuse("/device", fmt::format("found \"cuda\", but {}; expected \"cpu\"", reason));
  }
  const bool one_of_many = spec.role == "train" || spec.role == "compose";
  const auto found = static_cast<int>(gpus().deviceCount());
  // Over several hosts each host has one rank.
  const bool alone = !spec.rendezvous.empty();
  if (const auto reason = shortage(alone ? 1 : spec.workers, found, spec.share_gpus);
      one_of_many && !reason.empty()) {
    refuse("/share_gpus", reason);
  }
  const auto number = one_of_many ? gpu_of(alone ? 0 : spec.rank, found) : 0;
  const c10::Device device{c10::kCUDA, static_cast<c10::DeviceIndex>(number)};
  gpus().setDevice(device);
  return device;
}

Devices devices() {
  Devices all;
  all.no_gpus = no_gpus();
  if (all.no_gpus.empty()) {
    for (int number = 0; number < gpus().deviceCount(); ++number) {
      all.gpus.push_back(name_of_gpu(number));
    }
  }
  try {
    all.nccl_version = nccl_module().version;
  } catch (const std::exception& error) {
    all.no_nccl = error.what();
  }
  return all;
}

}  // namespace pacbench::trainer
