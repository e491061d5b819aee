#include "tests/unit/trainer/exchange/thread_ranks.h"

#include <algorithm>
#include <future>

#include "trainer/kernels/philox.h"
#include "trainer/methods/method.h"

namespace pacbench::trainer::test {

class ThreadRanks::RecordingBackend final : public Backend {
 public:
  explicit RecordingBackend(std::shared_ptr<Backend> inner) : inner_{std::move(inner)} {}
  int rank() const override { return inner_->rank(); }
  int size() const override { return inner_->size(); }
  c10::Device device() const override { return inner_->device(); }
  void start(const Collective& call, Completion done) override {
    issued_.push_back({call.kind, call.input.defined() ? call.input.scalar_type() : at::kByte,
                       call.input.defined() ? call.input.numel() : 0});
    inner_->start(call, std::move(done));
  }
  void abort(std::exception_ptr reason) override { inner_->abort(std::move(reason)); }
  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) override {
    return inner_->sub_group(ranks);
  }
  const std::vector<Issued>& issued() const { return issued_; }

 private:
  std::shared_ptr<Backend> inner_;
  std::vector<Issued> issued_;
};

ThreadRanks::ThreadRanks(const std::vector<std::shared_ptr<Backend>>& backends, Layout layout,
                         const MakeMethod& make) {
  for (const auto& backend : backends) {
    backends_.push_back(std::make_shared<RecordingBackend>(backend));
    engines_.push_back(std::make_unique<ExchangeEngine>(backends_.back(), make(), 7));
  }
  settle(layout);
}

ThreadRanks::ThreadRanks(ThreadRanks&&) noexcept = default;

ThreadRanks::~ThreadRanks() = default;

void ThreadRanks::settle(const Layout& layout) {
  on_all_ranks([&](std::size_t rank) { engines_[rank]->settle(layout); });
}

const std::vector<Issued>& ThreadRanks::issued(int rank) const {
  return backends_[static_cast<std::size_t>(rank)]->issued();
}

Gradients ThreadRanks::gradients(int limit, std::int64_t seed) const {
  return integer_gradients(engines_[0]->layout(), static_cast<int>(engines_.size()), limit, seed);
}

std::vector<CollectiveTrace> ThreadRanks::calls(int rank, std::size_t bucket) const {
  return engines_[static_cast<std::size_t>(rank)]->trace().at(bucket).collectives;
}

std::vector<std::int64_t> ThreadRanks::payloads(int rank, std::size_t bucket) const {
  std::vector<std::int64_t> bytes;
  for (const auto& call : calls(rank, bucket)) bytes.push_back(call.payload_bytes);
  return bytes;
}

void ThreadRanks::on_all_ranks(const std::function<void(std::size_t)>& body) {
  std::vector<std::future<void>> ranks;
  for (std::size_t rank = 0; rank < engines_.size(); ++rank) {
    ranks.push_back(std::async(std::launch::async, body, rank));
  }
  for (auto& rank : ranks) rank.wait();
  for (auto& rank : ranks) rank.get();
}

void ThreadRanks::exchange_on(std::size_t rank, std::vector<at::Tensor>& gradients) {
  auto& engine = *engines_[rank];
  engine.begin_iteration(step_);
  std::vector<std::promise<void>> ended(gradients.size());
  for (std::size_t bucket = 0; bucket < gradients.size(); ++bucket) {
    engine.exchange(static_cast<int>(bucket), gradients[bucket],
                    [&, bucket, rank](std::exception_ptr failure) {
                      failures_[rank][bucket] = failure;
                      ended[bucket].set_value();
                    });
  }
  for (auto& bucket : ended) bucket.get_future().get();
  for (const auto& failure : failures_[rank]) {
    if (failure) std::rethrow_exception(failure);
  }
  engine.finish_iteration();
}

Gradients ThreadRanks::exchange(const Gradients& gradients) {
  ++step_.number;
  Gradients means;
  failures_.clear();
  for (const auto& rank : gradients) {
    means.emplace_back();
    for (const auto& bucket : rank) means.back().push_back(bucket.clone());
    failures_.emplace_back(rank.size());
  }
  on_all_ranks([&](std::size_t rank) { exchange_on(rank, means[rank]); });
  return means;
}

Layout layout_of(const std::vector<std::vector<std::int64_t>>& sizes) {
  Layout layout;
  int parameter = 0;
  for (const auto& bucket : sizes) {
    auto& described = layout.emplace_back();
    described.index = static_cast<int>(layout.size()) - 1;
    for (const auto elements : bucket) {
      const auto name = "parameter" + std::to_string(parameter);
      described.slices.push_back({parameter++, name, {elements}, described.elements, elements, {}});
      described.elements += elements;
    }
  }
  return layout;
}

Gradients integer_gradients(const Layout& layout, int ranks, int limit, std::int64_t seed) {
  Gradients gradients;
  for (int rank = 0; rank < ranks; ++rank) {
    gradients.emplace_back();
    for (const auto& bucket : layout) {
      auto values = at::empty({bucket.elements});
      RandomKey key;
      key.seed = seed;
      key.rank = rank;
      key.parameter = bucket.index;
      fill_uniform(key, 0, bucket.elements, values.data_ptr<float>());
      gradients.back().push_back(values.mul(2 * limit + 1).floor().sub(limit));
    }
  }
  return gradients;
}

at::Tensor dense_mean(const Gradients& gradients, std::size_t bucket) {
  auto sum = gradients.front()[bucket].clone();
  for (std::size_t rank = 1; rank < gradients.size(); ++rank) sum += gradients[rank][bucket];
  return sum.div(static_cast<double>(gradients.size()));
}

std::vector<at::Tensor> dense_means(const Gradients& gradients) {
  std::vector<at::Tensor> means;
  for (std::size_t i = 0; i < gradients[0].size(); ++i) means.push_back(dense_mean(gradients, i));
  return means;
}

bool equal_bits(const std::vector<at::Tensor>& buckets, const std::vector<at::Tensor>& others) {
  return std::equal(buckets.begin(), buckets.end(), others.begin(), others.end(), at::equal);
}

at::Tensor sum_of_means(ThreadRanks& ranks, const Gradients& gradients, int iterations,
                        std::size_t rank) {
  auto sum = at::zeros_like(gradients[0][0]);
  for (int i = 0; i < iterations; ++i) sum += ranks.exchange(gradients)[rank][0];
  return sum;
}

std::vector<std::vector<Call>> calls_of(const std::vector<BucketTrace>& trace) {
  std::vector<std::vector<Call>> calls;
  for (const auto& bucket : trace) {
    calls.emplace_back();
    for (const auto& call : bucket.collectives) {
      calls.back().emplace_back(call.op, call.dtype, call.elements, call.payload_bytes,
                                call.sent_bytes);
    }
  }
  return calls;
}

ThreadRanks ranks_of(const Choice& method, int size, const Layout& layout, const RunFacts& run) {
  return ThreadRanks{size, layout, [method, run] { return make_method(method, run); }};
}

Choice choice(const std::string& name, const Json& options) { return with_defaults(name, options); }

}  // namespace pacbench::trainer::test
