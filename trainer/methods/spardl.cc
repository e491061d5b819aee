// SparDL (Zhao, Sheng, Zhao, Tao, Zhu, Nie and Cui 2024, ICDE, arXiv 2304.00737): a team of M ranks
// cuts the vector into M blocks. There are log2 M rounds, rounded up. In each, every rank sends to
// another rank of its team half of the blocks that it still sums. Each block is first cut to its
// share of the k largest entries, so that no payload grows (Spar-Reduce-Scatter). Then the ranks
// that hold the same block, one of each team, swap it in pairs, add and cut again (Spar-All-Gather,
// by recursive doubling). An all-gather in each team brings its blocks together. More teams take
// fewer rounds and more bytes. With error feedback a rank keeps its own gradient at places where
// the result has no entry. At all other places it keeps the entries that it dropped on the way, its
// own or of a partial sum. Where several ranks drop the same sum, each keeps an equal part (global
// residuals). Here every block keeps a fixed number of entries, so sizes are known beforehand. The
// paper's other Spar-All-Gather, which takes any number of teams and adapts its size, is not
// implemented.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <bit>
#include <numeric>
#include <stdexcept>

#include "trainer/averaging/option_specs.h"
#include "trainer/encoding/sparse_code.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// A rank's values, cut into blocks of one size. take_largest() returns the largest entries of a
/// block, always the same number of them, and sets the block to zero; add() adds entries that this
/// or another rank took. The entries that take_largest() does not return are dropped from the
/// exchange and remembered, so that error feedback can keep them (SparDL's global residuals).
class CutBlocks {
 public:
  /// `values`: float[n], padded with zeros to `blocks` whole blocks.
  CutBlocks(const SparseCode& code, const at::Tensor& values, int blocks)
      : code_{code},
        sums_{at::zeros({blocks, (values.numel() + blocks - 1) / blocks}, values.options())},
        dropped_{at::zeros_like(sums_)} {
    sums_.flatten().narrow(0, 0, values.numel()).copy_(values);
  }

  /// Returns the block's largest entries, encoded, and sets the block to zero. `ranks`: how many
  /// ranks drop the same other entries; each remembers an equal part of them.
  at::Tensor take_largest(int block, int ranks = 1) {
    auto sum = sums_[block];
    const auto places = largest(sum, code_.kept());
    const auto payload = code_.encode(sum.index_select(0, places), places);
    sum.index_fill_(0, places, 0);
    dropped_[block].add_(sum, 1.0 / ranks);
    sum.zero_();
    return payload;
  }

  void add(const at::Tensor& payload, int block) { code_.add(payload, sums_[block]); }

  /// Ends an exchange among `ranks` ranks: `gathered` has the last payload of each block. Sets the
  /// mean. Where bucket.keeps_rest is set, `own` keeps its values at places where nothing has
  /// arrived. At all other places it becomes what this rank dropped on the way.
  void deliver(const at::Tensor& gathered, int ranks, Bucket& bucket) const {
    auto total = at::zeros_like(sums_);
    auto arrived = at::zeros_like(sums_, at::kBool);
    for (std::int64_t block = 0; block < total.size(0); ++block) {
      const auto payload = gathered.narrow(0, block * code_.words(), code_.words());
      code_.add(payload, total[block]);
      arrived[block].index_fill_(0, code_.places_in(payload).to(at::kLong), true);
    }
    const auto in_bucket = [&bucket](const at::Tensor& blocks) {
      return blocks.flatten().narrow(0, 0, bucket.layout.elements);
    };
    if (bucket.keeps_rest) {
      bucket.own.copy_(at::where(in_bucket(arrived), in_bucket(dropped_), bucket.own));
    }
    bucket.mean.copy_(in_bucket(total.div_(ranks)));
  }

 private:
  SparseCode code_;
  at::Tensor sums_;     ///< float[blocks, elements]
  at::Tensor dropped_;  ///< as sums_
};

class SparDl final : public Averager {
 public:
  explicit SparDl(const Json& options)
      : ratio_{options.at("ratio")},
        teams_{static_cast<int>(options.at("teams").get<std::int64_t>())} {}

  /// A round's blocks go to one other rank.
  Recording recording() const override { return {.ranks_are_alike = false}; }

  Task<> settle(const Layout&, Group& group) override {
    const auto count = static_cast<unsigned>(teams_);
    if (!std::has_single_bit(count) || group.size() % teams_ != 0) {
      throw std::invalid_argument{
          fmt::format("spardl: found {} teams for {} workers, expected a power of two that divides "
                      "the number of workers; give another number of `teams`",
                      teams_, group.size())};
    }
    members_ = group.size() / teams_;
    member_ = group.rank() % members_;
    first_ = group.rank() - member_;
    // Members of a team wait for each other here, and so not in the first exchange.
    if (teams_ > 1) {
      for (int team = 0; team < teams_; ++team) group.sub_group(ranks_of(team));
    }
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    const auto block_bytes = 4 * code_of(bucket).words();
    PlannedCalls calls;
    for (int held = members_; held > 1; held = half(held)) {
      calls.push_back({CollectiveKind::kSendReceive, block_bytes * (held - half(held))});
    }
    for (int joined = 1; joined < teams_; joined *= 2) {
      calls.push_back({CollectiveKind::kSendReceive, block_bytes});
    }
    for (int team = 0; team < teams_; ++team) {
      calls.push_back({CollectiveKind::kAllGather, block_bytes, 0, ranks_of(team)});
    }
    return calls;
  }

  Task<> average(Bucket& bucket, Group& group) override {
    CutBlocks blocks{code_of(bucket.layout), bucket.own, members_};
    co_await reduce_in_team(blocks, code_of(bucket.layout).words(), group);
    auto own_block = blocks.take_largest(member_);
    for (int joined = 1; joined < teams_; joined *= 2) {
      // Teams whose numbers differ in the bit `joined` swap blocks: both add the same two and drop
      // the same entries.
      const int other = ((first_ / members_) ^ joined) * members_ + member_;
      const auto theirs = co_await group.send_receive(own_block, other, other, own_block.numel());
      blocks.add(own_block, member_);
      blocks.add(theirs, member_);
      own_block = blocks.take_largest(member_, 2 * joined);
    }
    const auto gathered = co_await all_gather_in_team(own_block, group);
    blocks.deliver(gathered, group.size(), bucket);
  }

 private:
  static int half(int held) { return (held + 1) / 2; }

  std::vector<int> ranks_of(int team) const {
    if (teams_ == 1) return {};  // all
    std::vector<int> ranks(static_cast<std::size_t>(members_));
    std::iota(ranks.begin(), ranks.end(), team * members_);
    return ranks;
  }

  SparseCode code_of(const BucketLayout& bucket) const {
    const auto block = (bucket.elements + members_ - 1) / members_;
    return {block, kept_of(ratio_, block)};
  }

  /// Sums blocks within the team: afterwards this rank's own block has the team's sum. Before a
  /// round this rank still sums the blocks member, member + 1, ... member + held - 1, modulo
  /// members.
  Task<> reduce_in_team(CutBlocks& blocks, std::int64_t words, Group& group) {
    for (int held = members_; held > 1; held = half(held)) {
      const int kept = half(held);
      std::vector<at::Tensor> outgoing;
      for (int i = kept; i < held; ++i) {
        outgoing.push_back(blocks.take_largest((member_ + i) % members_));
      }
      const auto sent = at::cat(outgoing);
      const int to = first_ + (member_ + kept) % members_;
      const int from = first_ + (member_ + members_ - kept) % members_;
      const auto received = co_await group.send_receive(sent, to, from, sent.numel());
      for (int i = 0; i < held - kept; ++i) {
        blocks.add(received.narrow(0, i * words, words), (member_ + i) % members_);
      }
    }
  }

  /// Gathers the blocks of one team after another, since all ranks must make the same calls.
  Task<at::Tensor> all_gather_in_team(at::Tensor own_block, Group& group) {
    if (teams_ == 1) co_return co_await group.all_gather(own_block);
    at::Tensor gathered;
    for (int team = 0; team < teams_; ++team) {
      auto inside = group.sub_group(ranks_of(team));
      const auto theirs = co_await inside.all_gather(own_block);
      if (inside.member()) gathered = theirs;
    }
    co_return gathered;
  }

  double ratio_;
  int teams_;
  int members_ = 1;  ///< ranks of a team
  int member_ = 0;   ///< this rank's number in its team
  int first_ = 0;    ///< the rank of its team's first member
};

}  // namespace

MethodDefinition spardl_method() {
  auto info = described("spardl", "sparsification", "Zhao et al. 2024, arXiv 2304.00737",
                        "largest entries of blocks, added and selected again in log2 N rounds");
  info.options = {
      option::kept_share(),
      option::count("teams", 1,
                    "how many teams first add by themselves; a power of two that divides the "
                    "number of workers"),
      option::error_feedback(true)};
  info.collectives = {"send_receive", "all_gather"};
  return averaging<SparDl>(info);
}

}  // namespace pacbench::trainer
