#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "tests/unit/trainer/averaged_by.h"
#include "tests/unit/trainer/message_of.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer::test {

/// gradients[rank][bucket], each float[elements].
using Gradients = std::vector<std::vector<at::Tensor>>;

/// One payload that a rank handed to its backend.
struct Issued {
  CollectiveKind kind;
  at::ScalarType type;
  std::int64_t elements;
  bool operator==(const Issued&) const = default;
};

/// N ranks of one method as threads of this process, over a backend that records every call on the
/// whole group.
class ThreadRanks {
 public:
  using MakeMethod = std::function<std::unique_ptr<Method>()>;

  ThreadRanks(int size, Layout layout, const MakeMethod& make)
      : ThreadRanks{make_thread_group(size), std::move(layout), make} {}
  /// Runs the ranks over other backends, one for each rank.
  ThreadRanks(const std::vector<std::shared_ptr<Backend>>& backends, Layout layout,
              const MakeMethod& make);
  ThreadRanks(ThreadRanks&&) noexcept;
  ~ThreadRanks();

  /// Gives all ranks the masks of another layout. Call it between two iterations.
  void settle(const Layout& layout);

  /// Exchanges copies of `gradients` in one iteration on all ranks at once. Returns the means;
  /// throws the failure of the lowest rank that failed.
  Gradients exchange(const Gradients& gradients);

  /// Failures of the last iteration, null where none: failures[rank][bucket].
  const std::vector<std::vector<std::exception_ptr>>& failures() const { return failures_; }

  /// integer_gradients() for these ranks and their layout.
  Gradients gradients(int limit, std::int64_t seed) const;

  ExchangeEngine& engine(int rank) { return *engines_[static_cast<std::size_t>(rank)]; }
  const std::vector<Issued>& issued(int rank) const;

  /// A rank's calls for a bucket in the last iteration, and the payloads of these.
  std::vector<CollectiveTrace> calls(int rank = 0, std::size_t bucket = 0) const;
  std::vector<std::int64_t> payloads(int rank = 0, std::size_t bucket = 0) const;

  /// Runs `body` for all ranks at once, each on a thread of its own.
  void on_all_ranks(const std::function<void(std::size_t)>& body);

 private:
  class RecordingBackend;

  void exchange_on(std::size_t rank, std::vector<at::Tensor>& gradients);

  std::vector<std::shared_ptr<RecordingBackend>> backends_;
  std::vector<std::unique_ptr<ExchangeEngine>> engines_;
  std::vector<std::vector<std::exception_ptr>> failures_;
  Step step_;
};

/// Reads what a rank's method remembers, by name, and lets a test change it.
class Remembered final : public StateVisitor {
 public:
  explicit Remembered(ExchangeEngine& engine) { engine.method().visit_state(*this); }
  void tensor(const std::string& name, at::Tensor& value) override { tensors[name] = value; }
  void number(const std::string&, std::int64_t&) override {}

  std::map<std::string, at::Tensor> tensors;
};

/// A bucket for each entry of `sizes`, with a parameter for each size in it; without masks.
Layout layout_of(const std::vector<std::vector<std::int64_t>>& sizes);

/// Whole numbers in [-limit, limit], so that sums are exact in any order.
Gradients integer_gradients(const Layout& layout, int ranks, int limit, std::int64_t seed);

/// The plain reference: the mean over ranks of one bucket, in rank order, and that of all buckets.
at::Tensor dense_mean(const Gradients& gradients, std::size_t bucket);
std::vector<at::Tensor> dense_means(const Gradients& gradients);

/// Whether two ranks hold the same bits in all buckets.
bool equal_bits(const std::vector<at::Tensor>& buckets, const std::vector<at::Tensor>& others);

/// The sum of a rank's means of the first bucket in so many iterations with the same gradients.
at::Tensor sum_of_means(ThreadRanks& ranks, const Gradients& gradients, int iterations,
                        std::size_t rank = 0);

/// The calls of each exchange, without their times.
using Call = std::tuple<std::string, std::string, std::int64_t, std::int64_t, std::int64_t>;
std::vector<std::vector<Call>> calls_of(const std::vector<BucketTrace>& trace);

/// Ranks of a method that make_method() makes.
ThreadRanks ranks_of(const Choice& method, int size, const Layout& layout,
                     const RunFacts& run = {});

/// A method and its options, defaults filled in.
Choice choice(const std::string& name, const Json& options = Json::object());

}  // namespace pacbench::trainer::test
