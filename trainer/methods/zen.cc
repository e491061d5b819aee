// Zen (Wang, Xu, Liu, Wang, Ng and Chen 2025, OSDI, arXiv 2309.13254): a hash of an entry's place
// chooses a rank as the entry's server. Entries that are not zero go to their servers, so that all
// ranks add about equally many. Each server's means come back with a bitmap over that server's
// places, instead of indices. The hash is one of ours (Philox), since the paper's constants are not
// published. Every rank lists the places of each server beforehand, which replaces the paper's hash
// tables. With `ratio` below 1 only the largest entries count as not zero. Error feedback, where it
// is on, keeps the rest.
#include <ATen/Functions.h>

#include <map>

#include "trainer/averaging/option_specs.h"
#include "trainer/averaging/sparse_entries.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/kernels/codes.h"
#include "trainer/kernels/largest.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// Says which rank, as a server, adds which places of a bucket.
struct Servers {
  at::Tensor order;                  ///< int64[elements]: all places, server after server
  at::Tensor position;               ///< int64[elements]: where a place is in `order`
  std::vector<std::int64_t> begins;  ///< where each server begins in `order`, and the end

  std::int64_t size(std::size_t server) const { return begins[server + 1] - begins[server]; }
};

Servers servers_of(const BucketLayout& bucket, int ranks, c10::Device device) {
  RandomKey key;
  key.parameter = bucket.index;
  key.use = RandomUse::kSelection;
  auto chance = random_uniform(key, 0, bucket.elements, at::kCPU);
  const auto server = chance.mul_(ranks).floor_().clamp_max_(ranks - 1).to(at::kLong);
  Servers servers;
  servers.order = server.argsort(/*stable=*/true);
  servers.position = at::empty_like(servers.order);
  servers.position.index_copy_(0, servers.order, at::arange(bucket.elements));
  servers.begins.push_back(0);
  for (int rank = 0; rank < ranks; ++rank) {
    servers.begins.push_back(servers.begins.back() + (server == rank).sum().item<std::int64_t>());
  }
  servers.order = servers.order.to(device);
  servers.position = servers.position.to(device);
  return servers;
}

/// For one server after another: int32 positions on that server, then the values' bits.
struct Entries {
  at::Tensor words;
  std::vector<std::int64_t> counts;  ///< words for each server
};

class Zen final : public Averager {
 public:
  explicit Zen(const Json& options) : ratio_{options.at("ratio")} {}

  Declares declares() const override { return Declares::kAfter; }
  Recording recording() const override { return {.ranks_are_alike = false}; }

  Task<> settle(const Layout& layout, Group& group) override {
    ranks_ = group.size();
    for (const auto& bucket : layout) {
      servers_[bucket.index] = servers_of(bucket, group.size(), group.device());
    }
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step&) const override {
    const auto& agreed = agreed_.at(bucket.index);
    return {{CollectiveKind::kAllGather, 8 * ranks_},
            {CollectiveKind::kAllToAll, 4 * agreed.pushed_words},
            counts_traffic(),
            {CollectiveKind::kAllToAll, agreed.pulled_bytes}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    const auto& servers = servers_.at(bucket.layout.index);
    const auto own_rank = static_cast<std::size_t>(group.rank());
    const auto places = chosen(bucket.own);
    const auto entries = encode(bucket.own, places, servers);
    if (bucket.keeps_rest) bucket.own.index_fill_(0, places, 0);
    auto& agreed = agreed_[bucket.layout.index];

    // All ranks learn how many words each rank sends to each.
    const auto own_counts = at::tensor(entries.counts, at::kLong);
    const auto all_counts = co_await group.all_gather(own_counts);
    const auto counts = all_counts.view({ranks_, ranks_});
    std::vector<std::int64_t> receive_counts;
    for (int rank = 0; rank < ranks_; ++rank) {
      receive_counts.push_back(counts[rank][group.rank()].item<std::int64_t>());
    }
    agreed.pushed_words =
        (counts[group.rank()].sum() - counts[group.rank()][group.rank()]).item<std::int64_t>();
    const auto received = co_await group.all_to_all(entries.words, entries.counts, receive_counts);

    const auto own_answer = add(received, receive_counts, servers.size(own_rank));
    const auto sizes = co_await gather_counts(own_answer.numel(), group);
    agreed.pulled_bytes = sizes[own_rank] * (ranks_ - 1);
    const auto answers = co_await group.all_gather_sized(own_answer, sizes);

    take(answers, sizes, servers, bucket.mean);
  }

 private:
  /// How much this rank sends for a bucket. Every rank can compute this from the counts that ranks
  /// exchange.
  struct Agreed {
    std::int64_t pushed_words = 0;
    std::int64_t pulled_bytes = 0;
  };

  at::Tensor chosen(const at::Tensor& own) const {
    if (ratio_ == 1) return own.nonzero().flatten();
    return largest(own, kept_of(ratio_, own.numel()));
  }

  static Entries encode(const at::Tensor& own, const at::Tensor& places, const Servers& servers) {
    const auto positions = std::get<0>(servers.position.index_select(0, places).sort());
    const auto values = own.index_select(0, servers.order.index_select(0, positions));
    Entries entries;
    std::vector<at::Tensor> words;
    std::int64_t begin = 0;
    for (std::size_t server = 0; server + 1 < servers.begins.size(); ++server) {
      const auto end = (positions < servers.begins[server + 1]).sum().item<std::int64_t>();
      const auto on_server = positions.narrow(0, begin, end - begin) - servers.begins[server];
      words.push_back(on_server.to(at::kInt));
      words.push_back(values.narrow(0, begin, end - begin).view(at::kInt));
      entries.counts.push_back(2 * (end - begin));
      begin = end;
    }
    entries.words = at::cat(words);
    return entries;
  }

  /// The means at this rank's places: the values at places that any rank sent, then a bit for each
  /// place that says whether any rank sent it.
  at::Tensor add(const at::Tensor& received, const std::vector<std::int64_t>& counts,
                 std::int64_t size) const {
    auto sum = at::zeros({size}, received.options().dtype(at::kFloat));
    auto sent = at::full({size}, -1, sum.options());
    std::int64_t offset = 0;
    for (const auto count : counts) {
      const auto places = received.narrow(0, offset, count / 2);
      const auto values = received.narrow(0, offset + count / 2, count / 2).view(at::kFloat);
      sum.index_add_(0, places, values);
      sent.index_fill_(0, places.to(at::kLong), 1);
      offset += count;
    }
    const auto values = sum.div_(ranks_).masked_select(sent > 0);
    return at::cat({values.view(at::kByte), pack_signs(sent)});
  }

  static void take(const at::Tensor& answers, const std::vector<std::int64_t>& sizes,
                   const Servers& servers, const at::Tensor& mean) {
    mean.zero_();
    std::int64_t offset = 0;
    for (std::size_t server = 0; server < sizes.size(); ++server) {
      const auto bits = sign_bytes(servers.size(server));
      const auto values = answers.narrow(0, offset, sizes[server] - bits).view(at::kFloat);
      auto sent = at::zeros({servers.size(server)}, mean.options());
      add_signs(answers.narrow(0, offset + sizes[server] - bits, bits), 0, 1, sent);
      const auto places = servers.order.narrow(0, servers.begins[server], servers.size(server));
      mean.index_copy_(0, places.masked_select(sent > 0), values);
      offset += sizes[server];
    }
  }

  double ratio_;
  int ranks_ = 1;
  std::map<int, Servers> servers_;
  std::map<int, Agreed> agreed_;
};

}  // namespace

MethodDefinition zen_method() {
  auto info = described(
      "zen", "sparsification", "Wang et al. 2025, arXiv 2309.13254",
      "each non-zero entry goes to the rank that a hash of its index names; means return with a "
      "bitmap");
  info.options = {option::share_of_nonzero("share of each bucket's entries that a worker sends, "
                                           "those of largest magnitude; 1: all non-zero entries"),
                  option::error_feedback(false)};
  info.lossless = true;
  info.state_floats = 4;  // two lists of places
  info.collectives = {"all_gather", "all_to_all"};
  return averaging<Zen>(info);
}

}  // namespace pacbench::trainer
