#include "trainer/collectives/identical_ranks.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

#include "trainer/collectives/names.h"

namespace pacbench::trainer {
namespace {

using ::testing::HasSubstr;

constexpr int kRanks = 4;

void carry_out(const Collective& call) {
  std::exception_ptr failure;
  make_identical_ranks(kRanks)->start(call, [&](std::exception_ptr reason) { failure = reason; });
  if (failure) std::rethrow_exception(failure);
}

at::Tensor reduced(at::Tensor tensor, Reduction reduction) {
  Collective call;
  call.kind = CollectiveKind::kAllReduce;
  call.reduction = reduction;
  call.input = tensor;
  carry_out(call);
  return tensor;
}

Collective all_to_all(const std::vector<std::int64_t>& receive_counts) {
  Collective call;
  call.kind = CollectiveKind::kAllToAll;
  call.input = at::arange(10);
  call.send_counts = {3, 2, 2, 3};
  call.receive_counts = receive_counts;
  call.output = at::zeros({12}, at::kLong);
  return call;
}

TEST(IdenticalRanks, SumsAsIfAllRanksHeldTheSame) {
  EXPECT_TRUE(
      at::equal(reduced(at::tensor({0.5F, -2.0F}), Reduction::kSum), at::tensor({2.0F, -8.0F})));
  EXPECT_TRUE(at::equal(reduced(at::tensor({200, 1}, at::kByte), Reduction::kSum),
                        at::tensor({800 % 256, 4}, at::kByte)))
      << "bytes wrap around, as lanes in them do";
  EXPECT_EQ(reduced(at::full({1}, 0.1, at::kHalf), Reduction::kSum).scalar_type(), at::kHalf);
}

TEST(IdenticalRanks, LeavesMaximaAndUnionsAsTheyAre) {
  const auto values = at::tensor({3, -7});
  EXPECT_TRUE(at::equal(reduced(values.clone(), Reduction::kMax), values));
  EXPECT_TRUE(at::equal(reduced(values.clone(), Reduction::kBitOr), values));
}

TEST(IdenticalRanks, GathersACopyForEachRank) {
  Collective call;
  call.kind = CollectiveKind::kAllGather;
  call.input = at::tensor({1, 2});
  call.output = at::zeros({2 * kRanks}, at::kLong);
  carry_out(call);
  EXPECT_TRUE(at::equal(call.output, at::tensor({1, 2, 1, 2, 1, 2, 1, 2})));
}

TEST(IdenticalRanks, ReceivesItsOwnShareFromEveryPeer) {
  const auto call = all_to_all({3, 3, 3, 3});
  carry_out(call);
  EXPECT_TRUE(at::equal(call.output, at::tensor({0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2})));
}

TEST(IdenticalRanks, FailsWhereRanksThatHoldTheSameWouldSendSomethingElse) {
  try {
    carry_out(all_to_all({3, 2, 2, 3}));
    FAIL() << "was carried out";
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("expects 2 elements from a rank that sends 3"));
  }
}

TEST(IdenticalRanks, ReceivesInASendReceiveWhatItSends) {
  Collective call;
  call.kind = CollectiveKind::kSendReceive;
  call.input = at::tensor({4, 5});
  call.send_counts = {0, 2, 0, 0};
  call.receive_counts = {0, 0, 0, 2};
  call.output = at::zeros({2}, at::kLong);
  carry_out(call);
  EXPECT_TRUE(at::equal(call.output, call.input));
  call.output = at::zeros({3}, at::kLong);
  EXPECT_THROW(carry_out(call), std::invalid_argument);
}

TEST(IdenticalRanks, HasGroupsOfSomeOfItsRanks) {
  const auto pair = make_identical_ranks(kRanks)->sub_group({0, 2});
  EXPECT_EQ(pair->size(), 2);
  EXPECT_EQ(pair->rank(), 0);
}

TEST(Names, OfTypesAndCollectivesReadBack) {
  for (const auto type :
       {at::kFloat, at::kHalf, at::kBFloat16, at::kChar, at::kByte, at::kInt, at::kLong}) {
    EXPECT_EQ(dtype_named(dtype_name(type)), type);
  }
  EXPECT_EQ(kind_named("all_to_all"), CollectiveKind::kAllToAll);
  EXPECT_THROW(kind_named("reduce"), std::invalid_argument);
  EXPECT_THROW(dtype_named("float64"), std::invalid_argument);
}

}  // namespace
}  // namespace pacbench::trainer
