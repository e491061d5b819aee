#include "simulate/gloo/algorithms.h"

#include <gmock/gmock.h>

#include <map>

#include "harness/record/gloo_wire.h"
#include "tests/unit/simulate/calls.h"

namespace pacbench::simulate {
namespace {

struct Counted {
  std::int64_t sent = 0;
  std::int64_t received = 0;
  std::int64_t sent_bytes = 0;
  std::map<int, std::vector<std::int64_t>> to;    ///< peer -> bytes of each message
  std::map<int, std::vector<std::int64_t>> from;  ///< peer -> bytes of each message
  int sends_awaited = 0;
  int receives_awaited = 0;
};

Counted counted(const Call& call, Place place) {
  Counted all;
  auto operations = operations_of(call, place);
  while (const auto* operation = operations.next()) {
    switch (operation->kind) {
      case Operation::Kind::kSend:
        ++all.sent;
        all.sent_bytes += operation->bytes;
        all.to[operation->peer].push_back(operation->bytes);
        break;
      case Operation::Kind::kReceive:
        ++all.received;
        all.from[operation->peer].push_back(operation->bytes);
        break;
      case Operation::Kind::kAwaitSent:
        ++all.sends_awaited;
        break;
      case Operation::Kind::kAwaitReceived:
        ++all.receives_awaited;
        break;
    }
  }
  return all;
}

CollectiveTrace trace_of(const Call& call, const Counted& counts) {
  CollectiveTrace trace;
  trace.op = call.op;
  trace.elements = call.elements;
  trace.payload_bytes = call.payload_bytes;
  trace.sent_bytes = counts.sent_bytes;
  return trace;
}

constexpr const char* kOps[] = {"all_reduce", "all_gather", "all_to_all", "broadcast", "barrier"};
constexpr std::int64_t kSizes[] = {1, 3, 7, 64, 1000, 65'537, 3'000'001};

TEST(GlooAlgorithms, SendAsManyMessagesAsAreCountedOfRealRunsAndAwaitThem) {
  for (const std::string op : kOps) {
    for (int size = 2; size <= 9; ++size) {
      for (const auto elements : kSizes) {
        const auto call = call_of(op, elements);
        for (int rank = 0; rank < size; ++rank) {
          SCOPED_TRACE(op + " of " + std::to_string(elements) + " elements on rank " +
                       std::to_string(rank) + " of " + std::to_string(size));
          const auto counts = counted(call, {rank, size});
          auto expected = record::gloo_messages(trace_of(call, counts), rank, size);
          if (op == "broadcast" && rank == 0) expected.received = 0;  // it is the root
          EXPECT_EQ((record::GlooMessages{counts.sent, counts.received}), expected);
          EXPECT_EQ(counts.sends_awaited, counts.sent);
          EXPECT_EQ(counts.receives_awaited, counts.received);
        }
      }
    }
  }
}

TEST(GlooAlgorithms, ReceiveWhatOthersSendInTheirOrder) {
  for (const char* op : kOps) {
    for (int size = 2; size <= 9; ++size) {
      for (const auto elements : kSizes) {
        auto call = call_of(op, elements);
        call.root = size / 2;
        std::vector<Counted> ranks;
        for (int rank = 0; rank < size; ++rank) ranks.push_back(counted(call, {rank, size}));
        for (int from = 0; from < size; ++from) {
          for (int to = 0; to < size; ++to) {
            EXPECT_EQ(ranks[static_cast<std::size_t>(from)].to[to],
                      ranks[static_cast<std::size_t>(to)].from[from])
                << op << " of " << elements << " from " << from << " to " << to << " of " << size;
          }
        }
      }
    }
  }
}

TEST(GlooAlgorithms, SendTwiceTheRingsSharesInAnAllReduce) {
  constexpr int kRanks = 8;
  std::int64_t sum = 0;
  for (int rank = 0; rank < kRanks; ++rank) {
    sum += counted(call_of("all_reduce", 1'130'000), {rank, kRanks}).sent_bytes;
  }
  EXPECT_EQ(sum, 2 * (kRanks - 1) * 4 * 1'130'000);
}

TEST(GlooAlgorithms, SendOnlyToThoseThatHaveSomethingForEachOther) {
  auto call = call_of("send_receive", 10);
  call.send_counts = {0, 0, 10};
  call.receive_counts = {7, 0, 0};
  const auto counts = counted(call, {1, 3});
  EXPECT_EQ(counts.to, (std::map<int, std::vector<std::int64_t>>{{2, {40}}}));
  EXPECT_EQ(counts.from, (std::map<int, std::vector<std::int64_t>>{{0, {28}}}));
}

TEST(GlooAlgorithms, RefuseACollectiveThatTheyDoNotKnow) {
  EXPECT_THROW(operations_of(call_of("scan", 1), {0, 2}), std::invalid_argument);
  EXPECT_THROW(element_bytes("float8"), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::simulate
