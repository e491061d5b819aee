#include "trainer/exchange/exchange_engine.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/clock.h"
#include "trainer/collectives/gpu_work.h"
#include "trainer/collectives/own_core.h"

namespace pacbench::trainer {
namespace {

struct Call {
  std::string op;
  std::int64_t payload_bytes = 0;
  std::int64_t sent_bytes = 0;

  bool operator==(const Call&) const = default;
};

/// The call that a trace should show. A rank outside of the sub-group takes its turn and sends
/// nothing.
Call call_of(const PlannedCollective& plan, Backend& backend) {
  const auto& ranks = plan.ranks;
  if (ranks.empty()) {
    return {name_of(plan.kind), plan.payload_bytes, backend.bytes_sent_for(plan)};
  }
  if (!std::binary_search(ranks.begin(), ranks.end(), backend.rank())) return {name_of(plan.kind)};
  return {name_of(plan.kind), plan.payload_bytes, backend.sub_group(ranks)->bytes_sent_for(plan)};
}

std::string words(const std::vector<Call>& calls) {
  std::vector<std::string> all;
  for (const auto& call : calls) {
    all.push_back(
        fmt::format("{} of {} bytes, {} sent", call.op, call.payload_bytes, call.sent_bytes));
  }
  return calls.empty() ? "nothing" : fmt::format("[{}]", fmt::join(all, "; "));
}

std::string place_of(const BucketTrace& trace) {
  return trace.index < 0 ? std::string{"after the last bucket"}
                         : fmt::format("bucket {} of {} elements", trace.index, trace.elements);
}

}  // namespace

void ExchangeEngine::take_gradients_from(c10::Device device) {
  gradients_on_ = device;
  executor_.post([device] { take_own_stream(device); });
}

void ExchangeEngine::run(const std::function<Task<>(Group&)>& body) {
  BucketTrace untraced;
  run(body, untraced);
}

void ExchangeEngine::run(const std::function<Task<>(Group&)>& body, BucketTrace& trace) {
  const at::NoGradGuard no_grad;
  Group group{{executor_, sequencer_}, backend_, 0, trace};
  const Ending ended;
  sequencer_.begin(1);
  auto& core = OwnCore::of_this_thread();
  core.begin();
  start(body(group),
        [this, ended, caller = std::this_thread::get_id()](std::exception_ptr failure) {
          OwnCore::of_this_thread().catch_up();
          // The caller uses another GPU stream, so this thread first waits for the work of its own
          // stream.
          if (!failure && std::this_thread::get_id() != caller) wait_for_gpu(gradients_on_);
          if (failure) fail(failure);
          sequencer_.finish(0);
          ended(failure);
        });
  core.catch_up();
  ended.future().get();
  core.begin();
}

void ExchangeEngine::settle(Layout layout) {
  layout_ = std::move(layout);
  run([this](Group& group) { return method_->settle(layout_, group); });
}

void ExchangeEngine::begin_iteration(const Step& step, bool exchanges_buckets) {
  const auto buckets = exchanges_buckets ? layout_.size() : 0;
  auto begin = [this, step, buckets] {
    step_ = step;
    expected_sent_bytes_ = 0;
    exchanges_ = std::vector<std::unique_ptr<Exchange>>(buckets);
    trace_.assign(buckets, BucketTrace{});
    beside_ = BucketTrace{};
    beside_.index = kBeside;
    sequencer_.begin(static_cast<int>(buckets));
  };
  // Nobody waits for a posted `begin`: exchanges are posted behind it. Without exchanges the next
  // step may run on this thread, so `begin` does too.
  exchanges_buckets ? executor_.post(begin) : begin();
}

void ExchangeEngine::exchange(int bucket, at::Tensor gradient, Ended ended) {
  executor_.post([this, bucket, gradient = std::move(gradient), ready_ns = emulated_ns(),
                  ended = std::move(ended)] {
    try {
      start_exchange(bucket, gradient, ready_ns, ended);
    } catch (...) {
      fail(std::current_exception());
      sequencer_.finish(bucket);
      ended(std::current_exception());
    }
  });
}

void ExchangeEngine::start_exchange(int index, at::Tensor gradient, std::int64_t ready_ns,
                                    Ended ended) {
  const auto place = static_cast<std::size_t>(index);
  const auto& layout = layout_.at(place);
  auto& trace = trace_.at(place);
  trace.index = index;
  trace.elements = layout.elements;
  trace.exchange.start_ns = ready_ns;
  auto& gradients = method_->gradients();
  const RandomKey random{.seed = seed_, .rank = backend_->rank(), .iteration = step_.number};
  Bucket values{layout, gradient, gradient, false, random, step_};
  Group group{{executor_, sequencer_}, backend_, index, trace};
  exchanges_.at(place) = std::make_unique<Exchange>(std::move(values), std::move(group),
                                                    std::vector<PlannedCollective>{});
  auto& exchange = *exchanges_[place];
  if (gradients.declares() == Averager::Declares::kBefore) {
    exchange.declared = gradients.traffic(layout, step_);
  }
  start(gradients.average(exchange.bucket, exchange.group),
        [this, &exchange, &trace, ended = std::move(ended)](std::exception_ptr failure) {
          if (!failure) failure = difference_from_declared(exchange, trace);
          if (!failure) wait_for_gpu(device());
          OwnCore::of_this_thread().catch_up();
          trace.exchange.end_ns = emulated_ns();
          if (failure) fail(failure);
          sequencer_.finish(trace.index);
          ended(failure);
        });
}

std::exception_ptr ExchangeEngine::difference_from_declared(Exchange& exchange,
                                                            const BucketTrace& trace) {
  const auto& gradients = method_->gradients();
  if (gradients.declares() == Averager::Declares::kNothing) return nullptr;
  try {
    if (gradients.declares() == Averager::Declares::kAfter) {
      exchange.declared = gradients.traffic(exchange.bucket.layout, step_);
    }
    require_declared(exchange.declared, trace);
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

void ExchangeEngine::fail(const std::exception_ptr& reason) {
  sequencer_.poison(reason);
  backend_->abort(reason);
}

/// Compares the collectives that the method declared for this rank with those in `trace` from
/// `first` on, one by one: operation, payload bytes and sent bytes. Throws std::logic_error with
/// both lists when they differ, since all predictions are made from the declared sizes.
void ExchangeEngine::require_declared(const std::vector<PlannedCollective>& declared,
                                      const BucketTrace& trace, std::size_t first) {
  std::vector<Call> expected;
  std::int64_t sent_bytes = 0;
  for (const auto& plan : declared) {
    expected.push_back(call_of(plan, *backend_));
    sent_bytes += expected.back().sent_bytes;
  }
  std::vector<Call> found;
  for (std::size_t i = first; i < trace.collectives.size(); ++i) {
    const auto& call = trace.collectives[i];
    found.push_back({call.op, call.payload_bytes, call.sent_bytes});
  }
  if (found != expected) {
    throw std::logic_error{fmt::format(
        "rank {}, {}: the method declares {}, but calls {}. It must declare all its calls "
        "in their order: those of average() in traffic(); those after the last bucket in "
        "finish_traffic(), step_traffic() and weights_traffic() (docs/ADDING_A_METHOD.md)",
        backend_->rank(), place_of(trace), words(expected), words(found))};
  }
  expected_sent_bytes_ += sent_bytes;
}

void ExchangeEngine::finish_iteration() {
  auto& gradients = method_->gradients();
  const auto declared = gradients.finish_traffic();
  run([&](Group& group) { return gradients.finish_iteration(group); }, beside_);
  if (gradients.declares() != Averager::Declares::kNothing) require_declared(declared, beside_);
}

bool ExchangeEngine::optimizer_step(OptimizerView& view) {
  const auto declared = method_->step_traffic(layout_, view.step);
  const auto first = beside_.collectives.size();
  bool stepped = false;
  run([&](Group& group) -> Task<> { stepped = co_await method_->optimizer_step(view, group); },
      beside_);
  require_declared(declared, beside_, first);
  return stepped;
}

void ExchangeEngine::step_finished(OptimizerView& view) {
  auto declared = method_->weights_traffic(layout_, view.step);
  const auto first = beside_.collectives.size();
  run([&](Group& group) { return method_->step_finished(view, group); }, beside_);
  if (method_->declares_weights_after()) declared = method_->weights_traffic(layout_, view.step);
  require_declared(declared, beside_, first);
}

void ExchangeEngine::share(const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> parts;
  for (const auto& tensor : tensors) {
    parts.push_back(tensor.detach().contiguous().view(-1).view(at::kByte));
  }
  const auto all = at::cat(parts).to(device());
  const auto first = beside_.collectives.size();
  run([&](Group& group) -> Task<> { co_await group.broadcast(all, 0); }, beside_);
  require_declared({{CollectiveKind::kBroadcast, all.numel()}}, beside_, first);
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    // A copy, whose bytes lie where numbers of its type may.
    const auto bytes = all.narrow(0, offset, parts[i].numel()).clone();
    tensors[i].detach().copy_(bytes.view(tensors[i].scalar_type()).view(tensors[i].sizes()));
    offset += parts[i].numel();
  }
}

std::vector<BucketTrace> ExchangeEngine::trace() const {
  std::vector<BucketTrace> all(trace_.begin(), trace_.end());
  if (!beside_.collectives.empty()) all.push_back(beside_);
  return all;
}

void GradientHandOver::start(int bucket, const at::Tensor& gradient, ExchangeEngine::Ended ended) {
  const auto device = gradient.device();
  if (device.is_cpu()) {
    last_ready_ns_ = emulated_ns();
    return engine_.exchange(bucket, gradient, std::move(ended));
  }
  if (!waiting_) {
    waiting_.emplace();
    waiting_->post([device] { take_own_stream(device); });
  }
  waiting_->post([this, bucket, gradient, moment = GpuMoment{device}, ended = std::move(ended)] {
    try {
      moment.wait();
      last_ready_ns_ = emulated_ns();
      exchange(bucket, gradient, ended);
    } catch (...) {
      ended(std::current_exception());
    }
  });
}

void GradientHandOver::exchange(int bucket, const at::Tensor& gradient,
                                ExchangeEngine::Ended ended) {
  if (gradient.device() == engine_.device()) {
    return engine_.exchange(bucket, gradient, std::move(ended));
  }
  const auto sent = gradient.to(engine_.device());
  engine_.exchange(bucket, sent,
                   [gradient, sent, ended = std::move(ended)](std::exception_ptr failure) {
                     if (!failure) gradient.copy_(sent);
                     ended(failure);
                   });
}

}  // namespace pacbench::trainer
