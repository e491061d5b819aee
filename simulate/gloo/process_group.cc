#include "simulate/gloo/process_group.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "contract/worker/gloo.h"

namespace pacbench::simulate {

ProcessGroup::ProcessGroup(Transport& transport, int number, std::vector<int> ranks, int worker)
    : transport_{transport}, number_{number}, ranks_{std::move(ranks)}, worker_{worker} {
  const auto own = std::find(ranks_.begin(), ranks_.end(), worker);
  place_ = {static_cast<int>(own - ranks_.begin()), size()};
}

void ProcessGroup::start(const Call& call, Ended ended) {
  auto running =
      std::make_shared<Running>(Running{operations_of(call, place_), started_++, std::move(ended)});
  // Point-to-point transfers take none of Gloo's threads: their caller waits for them.
  if (call.op == "send_receive") return go_on(running);
  waiting_.push_back(std::move(running));
  begin_waiting();
}

void ProcessGroup::begin_waiting() {
  while (working_ < gloo::kThreads && !waiting_.empty()) {
    ++working_;
    auto running = std::move(waiting_.front());
    waiting_.pop_front();
    running->ended = [this, ended = std::move(running->ended)](std::int64_t sent_bytes) {
      --working_;
      ended(sent_bytes);
      begin_waiting();
    };
    go_on(running);
  }
}

/// Carries out operations until one has to wait or none is left.
void ProcessGroup::go_on(const std::shared_ptr<Running>& running) {
  running->awaited = nullptr;
  while (const auto* operation = running->operations.next()) {
    if (!carry_out(*operation, running)) return;
  }
  running->ended(running->sent_bytes);
}

/// Carries out one operation; false when the collective has to wait for it.
bool ProcessGroup::carry_out(const Operation& operation, const std::shared_ptr<Running>& running) {
  const auto take = [&](int& count) {
    if (count-- > 0) return true;
    running->awaited = &count;
    return false;
  };
  switch (operation.kind) {
    case Operation::Kind::kAwaitSent:
      return take(running->sent);
    case Operation::Kind::kAwaitReceived:
      return take(running->received);
    case Operation::Kind::kSend: {
      running->sent_bytes += operation.bytes;
      const auto peer = ranks_[static_cast<std::size_t>(operation.peer)];
      transport_.send({number_, running->number, worker_, peer, operation.bytes},
                      [this, running] { note(running->sent, running); });
      return true;
    }
    case Operation::Kind::kReceive: {
      const auto peer = ranks_[static_cast<std::size_t>(operation.peer)];
      transport_.receive({number_, running->number, peer, worker_, operation.bytes},
                         [this, running] { note(running->received, running); });
      return true;
    }
  }
  return true;
}

/// Counts a send or receive that has ended. When a collective waits for it, the count is -1 before
/// and 0 afterwards.
void ProcessGroup::note(int& count, const std::shared_ptr<Running>& running) {
  ++count;
  if (running->awaited == &count) go_on(running);
}

ProcessGroup* Groups::of(const std::vector<int>& ranks) {
  if (!ranks.empty() && !std::binary_search(ranks.begin(), ranks.end(), worker_)) return nullptr;
  auto& group = groups_[ranks];
  if (!group) {
    auto members = ranks;
    if (members.empty()) {
      members.resize(static_cast<std::size_t>(workers_));
      std::iota(members.begin(), members.end(), 0);
    }
    const auto next = static_cast<int>(numbers_.size());
    const int number = numbers_.try_emplace(ranks, next).first->second;
    group = std::make_unique<ProcessGroup>(transport_, number, std::move(members), worker_);
  }
  return group.get();
}

}  // namespace pacbench::simulate
