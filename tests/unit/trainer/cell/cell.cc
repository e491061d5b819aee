#include "tests/unit/trainer/cell/cell.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <atomic>
#include <functional>
#include <future>
#include <sstream>

#include "base/check.h"
#include "base/unique_fd.h"
#include "tests/unit/trainer/exchange/gloo_ranks.h"
#include "trainer/collectives/reducer_group.h"
#include "trainer/collectives/thread_group.h"
#include "trainer/roles/rank.h"

namespace pacbench::trainer::test {
namespace {

UniqueFd memory() { return UniqueFd{check("memfd_create", ::memfd_create("test", MFD_CLOEXEC))}; }

std::vector<Json> lines_of(const UniqueFd& events) {
  std::istringstream text{read_file("/proc/self/fd/" + std::to_string(events.get()))};
  std::vector<Json> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

using PlaceOf = std::function<RankResources(const WorkerSpec&)>;
using Backends = std::vector<std::shared_ptr<Backend>>;

/// A control whose barriers fail, after seconds, when a rank has failed. A rank of the product that
/// fails ends its process, so it needs no such barriers.
class BreakableControl final : public Control {
 public:
  BreakableControl(std::unique_ptr<Control> inner, const std::atomic<bool>& failed)
      : inner_{std::move(inner)}, failed_{failed} {}

  void barrier(const std::function<void()>& still_waiting) override {
    inner_->barrier([&] {
      if (failed_) throw PeerFailed{"another rank failed"};
      still_waiting();
    });
  }
  void set_hash(std::uint64_t hash) override { inner_->set_hash(hash); }
  int first_different_hash() override { return inner_->first_different_hash(); }
  void set_word(std::uint64_t word) override { inner_->set_word(word); }
  std::uint64_t word() override { return inner_->word(); }

 private:
  std::unique_ptr<Control> inner_;
  const std::atomic<bool>& failed_;
};

/// Trains one rank in the calling thread and returns the rank's weights.
std::vector<at::Tensor> train_rank(const WorkerSpec& spec, const PlaceOf& place_of, int events,
                                   const std::atomic<bool>& failed) {
  at::set_num_threads(1);
  auto place = place_of(spec);
  place.events_fd = events;
  place.control = std::make_unique<BreakableControl>(std::move(place.control), failed);
  Rank rank{spec, std::move(place)};
  rank.train();
  std::vector<at::Tensor> weights;
  for (const auto& parameter : rank.parameters()) {
    weights.push_back(parameter.tensor.detach().clone());
  }
  return weights;
}

/// Trains all ranks. A rank that fails ends the waits of the others: their barriers, and their
/// collectives over `threads`. Collectives over Gloo time out.
Trained train(const WorkerSpec& spec, const PlaceOf& place_of, const Backends& threads = {}) {
  const auto events = memory();
  std::atomic<bool> failed = false;
  std::vector<std::future<std::vector<at::Tensor>>> ranks;
  for (auto own = spec; own.rank < spec.workers; ++own.rank) {
    ranks.push_back(std::async(std::launch::async, [&, own] {
      try {
        return train_rank(own, place_of, events.get(), failed);
      } catch (...) {
        failed = true;
        if (!threads.empty()) {
          threads[static_cast<std::size_t>(own.rank)]->abort(std::current_exception());
        }
        throw;
      }
    }));
  }
  Trained trained;
  for (auto& rank : ranks) {
    trained.weights.emplace_back();
    trained.failures.emplace_back();
    try {
      trained.weights.back() = rank.get();
    } catch (...) {
      trained.failures.back() = std::current_exception();
    }
  }
  trained.events = lines_of(events);
  return trained;
}

/// Trains all ranks over `of_rank`, which makes a rank's communication.
Trained train_in_process(const WorkerSpec& spec,
                         const std::function<Communication(const WorkerSpec&)>& of_rank,
                         const Backends& threads = {}) {
  const ThreadResources places{spec};
  const auto place_of = [&](const WorkerSpec& own) {
    auto place = places.of(own);
    place.communication = of_rank(own);
    return place;
  };
  return train(spec, place_of, threads);
}

Communication over(const std::shared_ptr<Backend>& backend, std::unique_ptr<Method> method,
                   const WorkerSpec& spec) {
  auto engine = std::make_unique<ExchangeEngine>(backend, std::move(method), spec.seed);
  return {reducer_group(backend), std::move(engine), false};
}

Communication over(const std::shared_ptr<Backend>& backend, const WorkerSpec& spec) {
  const RunFacts context{spec.link, spec.workload.optimizer, spec.workload.max_iterations};
  return over(backend, make_method(spec.method, context), spec);
}

/// Throws the failure of a rank in preference to the failures that it causes on other ranks.
Trained all_well(Trained trained) {
  std::exception_ptr consequence;
  for (const auto& failure : trained.failures) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const PeerFailed&) {
      consequence = failure;
    }
  }
  if (consequence) std::rethrow_exception(consequence);
  return trained;
}

}  // namespace

std::vector<Json> Trained::of_kind(const std::string& kind) const {
  std::vector<Json> found;
  for (const auto& event : events) {
    if (event.at("event") == kind) found.push_back(event);
  }
  return found;
}

WorkerSpec small_cell(const Choice& method, int workers) {
  WorkerSpec spec;
  spec.role = "learn";
  spec.workers = workers;
  spec.method = method;
  spec.workload.model = {"mlp", {{"hidden", {40, 24}}}};
  spec.workload.dataset = {"digits", {{"transform", "none"}}};
  spec.workload.batch_per_worker = 8;
  spec.workload.optimizer.lr = 0.1;
  spec.workload.optimizer.momentum = 0.9;
  spec.workload.max_iterations = 20;
  spec.workload.evaluate_every = 5;
  return spec;
}

Trained train_over_threads(const WorkerSpec& spec) {
  return train_over(make_thread_group(spec.workers), spec);
}

Trained train_over_threads(const WorkerSpec& spec, const MakeMethod& make) {
  const auto group = make_thread_group(spec.workers);
  const auto of_rank = [&](const WorkerSpec& own) {
    return over(group[static_cast<std::size_t>(own.rank)], make(own), own);
  };
  return train_in_process(spec, of_rank, group);
}

Trained train_over(const Backends& group, const WorkerSpec& spec) {
  const auto of_rank = [&](const WorkerSpec& own) {
    return communication_over_threads(own, group[static_cast<std::size_t>(own.rank)]);
  };
  return all_well(train_in_process(spec, of_rank, group));
}

Trained train_over_gloo(const WorkerSpec& spec) {
  const GlooRanks gloo{spec.workers};
  const auto of_rank = [&](const WorkerSpec& own) { return over(gloo.backend(own.rank), own); };
  return all_well(train_in_process(spec, of_rank));
}

Trained train_over_tcp(const WorkerSpec& spec) {
  const auto stores = tcp_stores(spec.workers);
  std::vector<StorePtr> group_stores;
  for (const auto& store : stores) group_stores.push_back(part_of(store, "group"));
  const GlooRanks gloo{group_stores};
  const ThreadResources places{spec};
  return all_well(train(spec, [&](const WorkerSpec& own) {
    auto place = places.of(own);
    place.communication = over(gloo.backend(own.rank), own);
    const auto& store = stores[static_cast<std::size_t>(own.rank)];
    place.control = control_in_store(part_of(store, "control"), own.rank, own.workers);
    place.samples = part_of(store, "samples");
    return place;
  }));
}

Trained trained_by(const std::string& method, const Json& options, int workers) {
  return train_over_threads(small_cell(with_defaults(method, options), workers));
}

void expect_same_weights(const Trained& found, const Trained& expected) {
  ASSERT_EQ(found.weights.size(), expected.weights.size());
  for (std::size_t rank = 0; rank < expected.weights.size(); ++rank) {
    ASSERT_EQ(found.weights[rank].size(), expected.weights[rank].size());
    for (std::size_t i = 0; i < expected.weights[rank].size(); ++i) {
      EXPECT_TRUE(at::equal(found.weights[rank][i], expected.weights[rank][i]))
          << "rank " << rank << ", parameter " << i;
    }
  }
}

}  // namespace pacbench::trainer::test
