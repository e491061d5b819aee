// Methods whose workers train alone for a while and then average their weights.
//
// Local SGD (Stich 2019, arXiv 1805.09767): every `every` iterations all workers go on from the
// mean of their weights; each keeps its own momentum. Where the first `begin_after` iterations
// average gradients, it is post-local SGD (Lin, Stich, Patel and Jaggi 2020, arXiv 1808.07217).
//
// DiLoCo (Douillard et al. 2023, arXiv 2311.08105, algorithm 1): the mean change of the workers'
// weights since the last exchange is a gradient for an outer optimiser with Nesterov's momentum.
// The outer optimiser updates the weights that all share. With an outer rate of 1 and no outer
// momentum DiLoCo is local SGD.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include "trainer/averaging/option_specs.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// Averages gradients in the first iterations; later each rank uses its own.
class MeanAtFirst final : public Averager {
 public:
  explicit MeanAtFirst(std::int64_t iterations) : iterations_{iterations} {}

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    if (step.number > iterations_) return {};
    return {dense_traffic(bucket)};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    if (bucket.step.number <= iterations_) co_await average_dense(bucket, group);
  }

 private:
  std::int64_t iterations_;
};

class LocalSteps final : public Method {
 public:
  /// Takes the options of either method. What one of them lacks has no effect.
  explicit LocalSteps(const Json& options)
      : Method{std::make_unique<MeanAtFirst>(options.value("begin_after", std::int64_t{0}))},
        every_{options.at("every")},
        begin_after_{options.value("begin_after", std::int64_t{0})},
        outer_lr_{options.value("outer_lr", 1.0)},
        outer_momentum_{options.value("outer_momentum", 0.0)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    layout_ = &layout;
    return Method::settle(layout, group);
  }

  const std::vector<at::Tensor>* consensus() const override { return &shared_; }
  bool leaves_mean() const override { return false; }
  Recording recording() const override {
    auto recording = Method::recording();
    recording.iterations_to_settle = begin_after_;
    recording.period = every_;
    return recording;
  }

  PlannedCalls weights_traffic(const Layout& layout, const Step& step) const override {
    PlannedCalls calls;
    if (!averages_after(step)) return calls;
    for (const auto& bucket : layout) calls.push_back(dense_traffic(bucket));
    return calls;
  }

  void begin(const std::vector<at::Tensor>& weights) override {
    for (const auto& weight : weights) {
      shared_.push_back(weight.detach().clone());
      if (outer_momentum_ > 0) momentum_.push_back(at::zeros_like(shared_.back()));
    }
  }

  Task<> step_finished(OptimizerView& view, Group& group) override {
    if (view.step.number <= begin_after_) {
      for (std::size_t i = 0; i < shared_.size(); ++i) {
        shared_[i].copy_(view.parameters[i].detach());
      }
    }
    if (!averages_after(view.step)) co_return;
    for (const auto& bucket : *layout_) {
      auto moved = at::empty({bucket.elements}, group.device());
      for (const auto& slice : bucket.slices) {
        const auto number = static_cast<std::size_t>(slice.parameter);
        Bucket::part(moved, slice)
            .copy_((shared_[number] - view.parameters[number].detach()).flatten());
      }
      co_await group.all_reduce(moved);
      moved.div_(group.size());
      for (const auto& slice : bucket.slices) {
        move(static_cast<std::size_t>(slice.parameter), Bucket::part(moved, slice));
      }
    }
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      view.parameters[i].detach().copy_(shared_[i]);
    }
  }

  void visit_state(StateVisitor& visitor) override {
    Method::visit_state(visitor);
    visit(visitor, "shared", shared_);
    visit(visitor, "outer_momentum", momentum_);
  }

 private:
  bool averages_after(const Step& step) const {
    const auto alone = step.number - begin_after_;
    return alone > 0 && alone % every_ == 0;
  }

  /// Makes the outer optimiser's step. `moved` is the shared weights minus the ranks' mean weights.
  void move(std::size_t number, const at::Tensor& moved) {
    const auto gradient = moved.to(shared_[number].device()).view(shared_[number].sizes());
    auto step = gradient;
    if (outer_momentum_ > 0) {
      momentum_[number].mul_(outer_momentum_).add_(gradient);
      step = gradient + momentum_[number] * outer_momentum_;
    }
    shared_[number].sub_(step, outer_lr_);
  }

  static void visit(StateVisitor& visitor, const char* name, std::vector<at::Tensor>& tensors) {
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      visitor.tensor(fmt::format("{}/{}", name, i), tensors[i]);
    }
  }

  std::int64_t every_;
  std::int64_t begin_after_;
  double outer_lr_;
  double outer_momentum_;
  const Layout* layout_ = nullptr;
  std::vector<at::Tensor> shared_;    ///< by parameter: the weights that all ranks last began from
  std::vector<at::Tensor> momentum_;  ///< of the outer optimiser
};

MethodInfo describe(const char* name, const char* summary, const char* paper, std::int64_t every,
                    std::int64_t state_floats) {
  auto info = described(name, "fewer exchanges", paper, summary);
  info.state_floats = state_floats;
  info.options = {option::always_shown(
      option::count("every", every, "iterations from one average to the next"))};
  info.collectives = {"all_reduce"};
  return info;
}

}  // namespace

MethodDefinition local_sgd_method() {
  auto info =
      describe("local-sgd", "workers train alone and average their weights every few iterations",
               "Stich 2019, arXiv 1805.09767", 8, 1);
  info.options.push_back(option::whole(
      "begin_after", 0, "how many iterations at the start average gradients (post-local SGD)"));
  return {info, made<LocalSteps>};
}

MethodDefinition diloco_method() {
  auto info = describe(
      "diloco",
      "local steps, and an outer optimiser that steps by how far the workers' weights moved",
      "Douillard et al. 2023, arXiv 2311.08105", 32, 2);
  info.options.push_back(
      option::number("outer_lr", 0.7, Range::positive(), "learning rate of the outer optimiser"));
  info.options.push_back(option::number("outer_momentum", 0.9, {0.0, 0.999},
                                        "Nesterov's momentum of the outer optimiser"));
  return {info, made<LocalSteps>};
}

}  // namespace pacbench::trainer
