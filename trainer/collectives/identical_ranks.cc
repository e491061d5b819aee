#include "trainer/collectives/identical_ranks.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace pacbench::trainer {
namespace {

class IdenticalRanks final : public Backend {
 public:
  IdenticalRanks(int rank, int size) : rank_{rank}, size_{size} {}

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void start(const Collective& call, Completion done) override {
    try {
      carry_out(call);
    } catch (...) {
      return done(std::current_exception());
    }
    done(nullptr);
  }

  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) override {
    const auto place = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
    return std::make_shared<IdenticalRanks>(static_cast<int>(place),
                                            static_cast<int>(ranks.size()));
  }

 private:
  void carry_out(const Collective& call) const {
    auto input = call.input;
    auto output = call.output;
    switch (call.kind) {
      case CollectiveKind::kAllReduce:
        if (call.reduction == Reduction::kSum) input.mul_(size_);
        return;
      case CollectiveKind::kAllGather:
        output.view({size_, input.numel()}).copy_(input);
        return;
      case CollectiveKind::kAllToAll:
        return all_to_all(call);
      case CollectiveKind::kSendReceive:
        return send_receive(call);
      case CollectiveKind::kBroadcast:
      case CollectiveKind::kBarrier:
        return;
    }
  }

  static void require_equal(const char* call, std::int64_t expected, std::int64_t sent) {
    if (expected == sent) return;
    throw std::invalid_argument{
        fmt::format("{} expects {} elements from a rank that sends {}: ranks with the same data "
                    "must send equally many",
                    call, expected, sent)};
  }

  /// Fills each peer's part of the output with what this rank sends to itself.
  void all_to_all(const Collective& call) const {
    const auto own = call.send_counts.begin() + rank_;
    for (const auto count : call.receive_counts) require_equal("an all-to-all", count, *own);
    const auto offset = std::accumulate(call.send_counts.begin(), own, std::int64_t{0});
    auto output = call.output;
    output.view({size_, *own}).copy_(call.input.narrow(0, offset, *own));
  }

  /// Copies this rank's input to its output, since every peer sends the same.
  static void send_receive(const Collective& call) {
    auto output = call.output;
    require_equal("a send-receive", output.numel(), call.input.numel());
    output.copy_(call.input);
  }

  int rank_;
  int size_;
};

}  // namespace

std::shared_ptr<Backend> make_identical_ranks(int size) {
  return std::make_shared<IdenticalRanks>(0, size);
}

}  // namespace pacbench::trainer
