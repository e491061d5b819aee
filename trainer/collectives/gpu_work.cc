#include "trainer/collectives/gpu_work.h"

#include <c10/core/Event.h>
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

struct GpuMoment::Event {
  c10::Event event;
};

GpuMoment::GpuMoment(c10::Device device)
    : event_{std::make_shared<Event>(Event{c10::Event{device.type()}})} {
  event_->event.record(c10::impl::VirtualGuardImpl{device.type()}.getStream(device));
}

bool GpuMoment::reached() const { return event_->event.query(); }

void GpuMoment::wait() const {
  while (!reached()) std::this_thread::sleep_for(std::chrono::microseconds{kLookEveryUs});
}

}  // namespace pacbench::trainer
