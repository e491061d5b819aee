// The ways in which a cell ends when something in it goes wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/subprocess.h"
#include "tests/unit/trainer/averaged_by.h"
#include "tests/unit/trainer/cell/cell.h"
#include "tests/unit/trainer/message_of.h"
#include "trainer/collectives/thread_group.h"

namespace pacbench::trainer::test {
namespace {

using ::testing::HasSubstr;

/// An all-reduce with something wrong about it.
class Faulty final : public Undeclared {
 public:
  struct Fault {
    int rank = -1;         ///< the rank with the fault; -1: none
    bool throws = false;   ///< in iteration 3, instead of exchanging
    bool differs = false;  ///< another mean than the other ranks'
  };
  explicit Faulty(Fault fault) : fault_{fault} {}

  Task<> average(Bucket& bucket, Group& group) override {
    const bool here = group.rank() == fault_.rank;
    if (here && fault_.throws && bucket.random.iteration == 3) {
      throw std::runtime_error{"out of order"};
    }
    co_await group.all_reduce(bucket.mean);
    if (here && fault_.differs) bucket.mean.mul_(1.001);
  }

 private:
  Fault fault_;
};

/// The error of each rank, null where it has none.
std::vector<std::exception_ptr> failures_with(Faulty::Fault fault,
                                              const std::optional<PruningPlan>& plan = {}) {
  const auto make = [&](const WorkerSpec&) {
    return std::make_unique<Method>(std::make_unique<Faulty>(fault), plan);
  };
  return train_over_threads(small_cell(with_defaults("all-reduce")), make).failures;
}

TEST(Failure, OfOneRankEndsTheOthersWhichKnowWhoseItWas) {
  const auto failures = failures_with({.rank = 2, .throws = true});
  EXPECT_EQ(message_of(failures[2]), "out of order");
  for (const auto other : {0, 1, 3}) {
    EXPECT_THROW(std::rethrow_exception(failures[static_cast<std::size_t>(other)]), PeerFailed);
    EXPECT_EQ(message_of(failures[static_cast<std::size_t>(other)]), "rank 2 failed: out of order");
  }
}

TEST(Failure, RanksWithDifferentWeightsAreNoticedAndNamed) {
  for (const auto& failure : failures_with({.rank = 1, .differs = true})) {
    EXPECT_THAT(message_of(failure),
                HasSubstr("the weights of rank 1 and rank 0 differ after iteration 5"));
  }
}

TEST(Failure, APrunedWeightThatMovesIsNoticedAndNamed) {
  const auto failures = failures_with({}, PruningPlan{.score = "random"});
  EXPECT_THAT(message_of(failures[0]),
              HasSubstr("a pruned weight of fc1.weight is not zero after iteration 5"));
}

/// The last line that the worker writes, when it fails.
auto failed_event_of_worker(const WorkerSpec& spec) {
  const auto output = run_command({PACBENCH_WORKER}, to_json(spec).dump());
  EXPECT_EQ(output.status.code, 1);
  const auto line = output.out.substr(output.out.rfind('\n', output.out.size() - 2) + 1);
  return failed_event_from_json(Json::parse(line));
}

TEST(Worker, OfRoleLearnTellsTheRankAndTheIterationThatFailed) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.workload.optimizer.lr = 1e20;
  const auto failed = failed_event_of_worker(spec);
  EXPECT_GE(failed.rank, 0);
  EXPECT_EQ(failed.iteration, 2);
  EXPECT_THAT(failed.message, HasSubstr("training diverged"));
  EXPECT_TRUE(failed.diverged);
}

TEST(Worker, OfRoleLearnTellsWhatItCannotRead) {
  auto spec = small_cell(with_defaults("all-reduce"));
  spec.resume_state = "/nowhere/state-3.pt";
  const auto failed = failed_event_of_worker(spec);
  EXPECT_THAT(failed.message, HasSubstr("/nowhere/state-3.pt"));
  EXPECT_FALSE(failed.diverged);
}

}  // namespace
}  // namespace pacbench::trainer::test
