#include "trainer/collectives/gpu_work.h"

#include <c10/core/impl/VirtualGuardImpl.h>

#include <chrono>
#include <thread>

namespace pacbench::trainer {

void wait_for_gpu(c10::Device device) {
  if (!device.is_cpu()) GpuMoment{device}.wait();
}

void take_own_stream(c10::Device device) {
  if (device.is_cpu()) return;
  const c10::impl::VirtualGuardImpl gpu{device.type()};
  gpu.setDevice(device);
  gpu.exchangeStream(gpu.getStreamFromGlobalPool(device, /*isHighPriority=*/true));
}

GpuMoment::GpuMoment(c10::Device device) : event_{std::make_shared<c10::Event>(device.type())} {
  event_->record(c10::impl::VirtualGuardImpl{device.type()}.getStream(device));
}

void GpuMoment::wait() const {
  while (!reached()) std::this_thread::sleep_for(std::chrono::microseconds{kLookEveryUs});
}

}  // namespace pacbench::trainer
