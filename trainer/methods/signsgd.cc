// signSGD with majority vote (Bernstein, Wang, Azizzadenesheli and Anandkumar 2018, arXiv
// 1802.04434, algorithm 3; 1810.05291): each worker sends the sign of every entry, the votes are
// counted, and the sign that won is the gradient. Each rank counts its share of the entries: the
// votes come by all-to-all, and what won goes round by all-gather. Biased; no error feedback; wants
// a learning rate much smaller than SGD's. An even number of workers can tie: chance decides then.
#include <ATen/Functions.h>

#include "trainer/kernels/kernels.h"
#include "trainer/kernels/signs.h"
#include "trainer/methods/method_entries.h"

namespace pacbench::trainer {
namespace {

class MajorityVote final : public Averager {
 public:
  Task<> settle(const Layout&, Group& group) override {
    ranks_ = group.size();
    co_return;
  }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    const auto share = share_bytes(bucket.elements);
    return {{CollectiveKind::kAllToAll, share * (ranks_ - 1)}, {CollectiveKind::kAllGather, share}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    require_finite(bucket, group);
    const auto share = share_bytes(bucket.layout.elements);
    const auto signs = pack_signs(bucket.own);
    auto ballots = at::zeros({share * ranks_}, signs.options());
    ballots.narrow(0, 0, signs.numel()).copy_(signs);
    const std::vector<std::int64_t> counts(static_cast<std::size_t>(ranks_), share);

    const auto votes = co_await group.all_to_all(ballots, counts, counts);
    const auto won = pack_signs(majority(votes, share, bucket.own_random()));
    const auto all = co_await group.all_gather(won);

    bucket.mean.zero_();
    add_signs(all, 0, 1, bucket.mean);
  }

 private:
  std::int64_t share_bytes(std::int64_t elements) const {
    return sign_bytes((elements + ranks_ - 1) / ranks_);
  }

  /// float[8 · share]: negative where most votes are.
  at::Tensor majority(const at::Tensor& votes, std::int64_t share, RandomKey key) const {
    const auto entries = share * 8;
    auto sum = at::zeros({entries}, votes.options().dtype(at::kFloat));
    for (int rank = 0; rank < ranks_; ++rank) {
      add_signs(votes.narrow(0, rank * share, share), 0, 1, sum);
    }
    // Less than a vote: it decides ties, and nothing else.
    key.use = RandomUse::kSelection;
    auto chance = at::empty({entries});
    fill_uniform(key, 0, entries, chance.mutable_data_ptr<float>());
    return sum.add_(chance.sub_(0.5).to(sum.device()));
  }

  int ranks_ = 1;
};

}  // namespace

MethodEntryPoint signsgd_method() {
  MethodInfo info;
  info.name = "signsgd";
  info.summary = "the sign that most workers have, a bit an entry each way";
  info.paper = "Bernstein et al. 2018, arXiv 1802.04434";
  info.family = "quantisation";
  info.collectives = {"all_to_all", "all_gather"};
  return averaging(info, [](const Json&, const RunFacts&) -> std::unique_ptr<Averager> {
    return std::make_unique<MajorityVote>();
  });
}

}  // namespace pacbench::trainer
