#include "trainer/collectives/thread_group.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>

namespace pacbench::trainer {
namespace {

struct Arrival {
  Collective call;
  Backend::Completion done;
};

std::string describe(const Collective& call) {
  if (!call.input.defined()) return name_of(call.kind);
  // Ranks of an all-to-all may rightly differ in size.
  const auto elements =
      call.send_counts.empty() ? std::to_string(call.input.numel()) : std::string{"any number"};
  return fmt::format("{} of {} {} (reduction {}, root {})", name_of(call.kind), elements,
                     c10::toString(call.input.scalar_type()), static_cast<int>(call.reduction),
                     call.root);
}

void require_same(const std::vector<Arrival>& arrivals) {
  const auto expected = describe(arrivals.front().call);
  for (std::size_t rank = 1; rank < arrivals.size(); ++rank) {
    const auto found = describe(arrivals[rank].call);
    if (found == expected) continue;
    throw std::runtime_error{fmt::format(
        "ranks make different calls: rank 0 calls {}, rank {} calls {}", expected, rank, found)};
  }
}

constexpr std::int64_t kLargestSegmentBytes = 1 << 20;

// A block is so small that all ranks' blocks stay in the cache until the sum has overwritten them.
constexpr std::int64_t kBlockBytes = 64 << 10;

std::int64_t divide_up(std::int64_t value, std::int64_t by) { return (value + by - 1) / by; }

void add_in_place(at::Tensor& total, const at::Tensor& next, Reduction reduction) {
  switch (reduction) {
    case Reduction::kSum:
      total.add_(next);
      return;
    case Reduction::kMax:
      at::maximum_out(total, total, next);
      return;
    case Reduction::kBitOr:
      total.bitwise_or_(next);
      return;
  }
}

/// Reduces one block of a chunk over all ranks, in place. Adds in the ring's order: the sum starts
/// with the block of rank `first` and goes on to lower ranks.
void reduce_block(const std::vector<at::Tensor>& ranks, std::size_t first, std::int64_t begin,
                  std::int64_t count, Reduction reduction) {
  const auto size = ranks.size();
  auto total = ranks[first].narrow(0, begin, count);
  std::vector<at::Tensor> others;
  for (std::size_t hop = 1; hop < size; ++hop) {
    others.push_back(ranks[(first + size - hop) % size].narrow(0, begin, count));
    add_in_place(total, others.back(), reduction);
  }
  for (auto& other : others) other.copy_(total);
}

/// Reduces the ranks' tensors in place, so that each holds the bits that Gloo's ring would give it.
/// Chunk c starts at rank c-1 and travels downwards to ranks c-2, c-3, ..., c (modulo the number of
/// ranks). Each rank adds its own elements. Every sum is computed once and then copied.
void all_reduce(std::vector<Arrival>& arrivals) {
  std::vector<at::Tensor> ranks;
  for (const auto& arrival : arrivals) ranks.push_back(arrival.call.input);
  const auto reduction = arrivals.front().call.reduction;
  const auto size = ranks.size();
  const auto elements = ranks.front().numel();
  const auto element_bytes = static_cast<std::int64_t>(ranks.front().element_size());
  const auto chunk = ring_chunk_elements(elements, element_bytes, static_cast<int>(size));
  const auto block = kBlockBytes / element_bytes;
  std::size_t number = 0;
  for (std::int64_t begin = 0; begin < elements; begin += chunk, ++number) {
    const auto end = std::min(begin + chunk, elements);
    for (auto at = begin; at < end; at += block) {
      reduce_block(ranks, (number + size - 1) % size, at, std::min(block, end - at), reduction);
    }
  }
}

void all_gather(std::vector<Arrival>& arrivals) {
  std::vector<at::Tensor> parts;
  for (const auto& arrival : arrivals) parts.push_back(arrival.call.input);
  const auto all = at::cat(parts);
  for (auto& arrival : arrivals) arrival.call.output.copy_(all);
}

void all_to_all(std::vector<Arrival>& arrivals) {
  std::vector<std::int64_t> written(arrivals.size(), 0);
  for (std::size_t from = 0; from < arrivals.size(); ++from) {
    const auto& sender = arrivals[from].call;
    std::int64_t read = 0;
    for (std::size_t to = 0; to < arrivals.size(); ++to) {
      auto& receiver = arrivals[to].call;
      const auto count = sender.send_counts.at(to);
      if (receiver.receive_counts.at(from) != count) {
        throw std::runtime_error{fmt::format("rank {} sends {} elements, rank {} expects {}", from,
                                             count, to, receiver.receive_counts.at(from))};
      }
      receiver.output.narrow(0, written[to], count).copy_(sender.input.narrow(0, read, count));
      written[to] += count;
      read += count;
    }
  }
}

void broadcast(std::vector<Arrival>& arrivals) {
  const auto root = static_cast<std::size_t>(arrivals.front().call.root);
  const auto source = arrivals.at(root).call.input.clone();
  for (auto& arrival : arrivals) arrival.call.input.copy_(source);
}

void carry_out(std::vector<Arrival>& arrivals) {
  require_same(arrivals);
  switch (arrivals.front().call.kind) {
    case CollectiveKind::kAllReduce:
      return all_reduce(arrivals);
    case CollectiveKind::kAllGather:
      return all_gather(arrivals);
    case CollectiveKind::kAllToAll:
    case CollectiveKind::kSendReceive:
      return all_to_all(arrivals);
    case CollectiveKind::kBroadcast:
      return broadcast(arrivals);
    case CollectiveKind::kBarrier:
      return;
  }
}

std::string describe_failure(int rank, const std::exception_ptr& reason) {
  try {
    std::rethrow_exception(reason);
  } catch (const std::exception& error) {
    return fmt::format("rank {} failed: {}", rank, error.what());
  } catch (...) {
    return fmt::format("rank {} failed", rank);
  }
}

/// Collects the ranks' calls and carries out a collective when its last rank arrives. The k-th call
/// of each rank belongs to the k-th collective.
class MeetingPoint {
 public:
  explicit MeetingPoint(int size) : size_{size}, calls_(static_cast<std::size_t>(size), 0) {}

  int size() const { return size_; }

  void arrive(int rank, const Collective& call, Backend::Completion done) {
    std::vector<Arrival> complete;
    {
      const std::lock_guard lock{mutex_};
      if (!aborted_) {
        const auto number = calls_[static_cast<std::size_t>(rank)]++;
        auto& waiting = waiting_[number];
        waiting.emplace(rank, Arrival{call, std::move(done)});
        if (static_cast<int>(waiting.size()) < size_) return;
        for (auto& [member, arrival] : waiting) complete.push_back(std::move(arrival));
        waiting_.erase(number);
      }
    }
    if (complete.empty()) return done(aborted_);
    std::exception_ptr failure;
    try {
      carry_out(complete);
    } catch (...) {
      failure = std::current_exception();
    }
    for (auto& arrival : complete) arrival.done(failure);
  }

  /// Fails all waiting calls with `reason`, and all later calls with the first reason.
  void abort(std::exception_ptr reason) {
    std::vector<Arrival> stranded;
    {
      const std::lock_guard lock{mutex_};
      if (!aborted_) aborted_ = reason;
      for (auto& [number, waiting] : waiting_) {
        for (auto& [rank, arrival] : waiting) stranded.push_back(std::move(arrival));
      }
      waiting_.clear();
      for (auto& [ranks, point] : sub_groups_) point->abort(reason);
    }
    for (auto& arrival : stranded) arrival.done(reason);
  }

  std::shared_ptr<MeetingPoint> sub_group(const std::vector<int>& ranks) {
    const std::lock_guard lock{mutex_};
    auto& point = sub_groups_[ranks];
    if (!point) {
      point = std::make_shared<MeetingPoint>(static_cast<int>(ranks.size()));
      if (aborted_) point->abort(aborted_);
    }
    return point;
  }

 private:
  int size_;
  std::mutex mutex_;
  std::exception_ptr aborted_;
  std::vector<std::int64_t> calls_;
  std::map<std::int64_t, std::map<int, Arrival>> waiting_;
  std::map<std::vector<int>, std::shared_ptr<MeetingPoint>> sub_groups_;
};

class ThreadBackend final : public Backend {
 public:
  ThreadBackend(std::shared_ptr<MeetingPoint> point, int rank)
      : point_{std::move(point)}, rank_{rank} {}

  int rank() const override { return rank_; }
  int size() const override { return point_->size(); }
  void start(const Collective& call, Completion done) override {
    point_->arrive(rank_, call, std::move(done));
  }
  void abort(std::exception_ptr reason) override {
    point_->abort(std::make_exception_ptr(PeerFailed{describe_failure(rank_, reason)}));
  }
  std::shared_ptr<Backend> sub_group(const std::vector<int>& ranks) override {
    const auto place = std::find(ranks.begin(), ranks.end(), rank_) - ranks.begin();
    return std::make_shared<ThreadBackend>(point_->sub_group(ranks), static_cast<int>(place));
  }

 private:
  std::shared_ptr<MeetingPoint> point_;
  int rank_;
};

}  // namespace

std::int64_t ring_chunk_elements(std::int64_t elements, std::int64_t element_bytes, int ranks) {
  const auto bytes = elements * element_bytes;
  const auto largest = element_bytes * (kLargestSegmentBytes / element_bytes);
  const auto segments_per_rank =
      divide_up(std::max<std::int64_t>(divide_up(bytes, largest), 2 * ranks), ranks);
  const auto segment_elements =
      divide_up(divide_up(bytes, segments_per_rank * ranks), element_bytes);
  return segments_per_rank * segment_elements;
}

std::vector<std::shared_ptr<Backend>> make_thread_group(int size) {
  const auto point = std::make_shared<MeetingPoint>(size);
  std::vector<std::shared_ptr<Backend>> ranks;
  for (int rank = 0; rank < size; ++rank) {
    ranks.push_back(std::make_shared<ThreadBackend>(point, rank));
  }
  return ranks;
}

}  // namespace pacbench::trainer
