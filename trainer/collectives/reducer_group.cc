#include "trainer/collectives/reducer_group.h"

namespace pacbench::trainer {
namespace {

class Finished final : public c10d::Work {
 public:
  Finished() { finish(); }
};

class BroadcastOnly final : public c10d::Backend {
 public:
  explicit BroadcastOnly(std::shared_ptr<pacbench::trainer::Backend> backend)
      : c10d::Backend{backend->rank(), backend->size()}, backend_{std::move(backend)} {}

  const std::string getBackendName() const override { return "pacbench"; }

  c10::intrusive_ptr<c10d::Work> broadcast(std::vector<at::Tensor>& tensors,
                                           const c10d::BroadcastOptions& options) override {
    for (auto& tensor : tensors) {
      Collective call;
      call.kind = CollectiveKind::kBroadcast;
      call.input = tensor.view({-1});
      // Only a backend with a GPU accepts a GPU's memory.
      if (backend_->device().is_cpu()) call.input = call.input.cpu();
      call.root = static_cast<int>(options.rootRank);
      const Ending ended;
      backend_->start(call, ended);
      ended.future().get();
      if (call.input.device() != tensor.device()) tensor.copy_(call.input.view_as(tensor));
    }
    return c10::make_intrusive<Finished>();
  }

 private:
  std::shared_ptr<pacbench::trainer::Backend> backend_;
};

}  // namespace

c10::intrusive_ptr<c10d::ProcessGroup> reducer_group(std::shared_ptr<Backend> backend) {
  auto group = c10::make_intrusive<c10d::ProcessGroup>(backend->rank(), backend->size());
  const auto broadcasts = c10::make_intrusive<BroadcastOnly>(std::move(backend));
  for (const auto device : {c10::kCPU, c10::kCUDA}) {
    group->setBackend(device, c10d::ProcessGroup::CUSTOM, broadcasts);
  }
  group->setDefaultBackend(c10d::ProcessGroup::CUSTOM);
  return group;
}

}  // namespace pacbench::trainer
