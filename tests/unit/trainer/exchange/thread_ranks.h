#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "tests/unit/trainer/averaged_by.h"
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

  /// Sets the learning rates of later iterations.
  void set_rates(double lr, double previous_lr) { step_.lr = lr, step_.previous_lr = previous_lr; }

  /// Failures of the last iteration, null where none: failures[rank][bucket].
  const std::vector<std::vector<std::exception_ptr>>& failures() const { return failures_; }

  ExchangeEngine& engine(int rank) { return *engines_[static_cast<std::size_t>(rank)]; }
  const std::vector<Issued>& issued(int rank) const;

 private:
  class RecordingBackend;

  void on_all_ranks(const std::function<void(std::size_t)>& body);
  void exchange_on(std::size_t rank, std::vector<at::Tensor>& gradients);

  std::vector<std::shared_ptr<RecordingBackend>> backends_;
  std::vector<std::unique_ptr<ExchangeEngine>> engines_;
  std::vector<std::vector<std::exception_ptr>> failures_;
  Step step_;
};

/// A bucket for each entry of `sizes`, with a parameter for each size in it; without masks.
Layout layout_of(const std::vector<std::vector<std::int64_t>>& sizes);

/// Whole numbers in [-limit, limit], so that sums are exact in any order.
Gradients integer_gradients(const Layout& layout, int ranks, int limit, std::int64_t seed);

/// The plain reference: the mean over ranks of one bucket, in rank order.
at::Tensor dense_mean(const Gradients& gradients, std::size_t bucket);

/// Ranks of a method that make_method() makes.
ThreadRanks ranks_of(const Choice& method, int size, const Layout& layout,
                     const RunFacts& run = {});

/// A copy whose tensors share no memory with `gradients`.
Gradients copy_of(const Gradients& gradients);

/// A method and its options, defaults filled in.
Choice choice(const std::string& name, const Json& options = Json::object());

}  // namespace pacbench::trainer::test
