#include "trainer/collectives/identical_ranks.h"

#include <gmock/gmock.h>
#include <torch/torch.h>

namespace pacbench::trainer {
namespace {

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

/// What a rank with `input` receives in `elements` whole numbers.
at::Tensor received(CollectiveKind kind, const at::Tensor& input, std::int64_t elements,
                    const std::vector<std::int64_t>& send_counts = {},
                    const std::vector<std::int64_t>& receive_counts = {}) {
  auto output = at::zeros({elements}, at::kLong);
  carry_out({kind, Reduction::kSum, input, output, send_counts, receive_counts});
  return output;
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
  EXPECT_TRUE(at::equal(received(CollectiveKind::kAllGather, at::tensor({1, 2}), 2 * kRanks),
                        at::tensor({1, 2, 1, 2, 1, 2, 1, 2})));
}

TEST(IdenticalRanks, ReceivesItsOwnShareFromEveryPeerAndRefusesWhatThatIsNot) {
  const auto from_all = [](const std::vector<std::int64_t>& counts) {
    return received(CollectiveKind::kAllToAll, at::arange(10), 12, {3, 2, 2, 3}, counts);
  };
  EXPECT_TRUE(at::equal(from_all({3, 3, 3, 3}), at::arange(3).repeat({4})));
  EXPECT_THAT(
      [&] {
        from_all({3, 2, 2, 3});
      },
      ::testing::ThrowsMessage<std::invalid_argument>(
          ::testing::HasSubstr("expects 2 elements from a rank that sends 3")));
}

TEST(IdenticalRanks, ReceivesInASendReceiveWhatItSends) {
  const auto sent = at::tensor({4, 5});
  const auto shifted = [&](std::int64_t elements) {
    return received(CollectiveKind::kSendReceive, sent, elements, {0, 2, 0, 0}, {0, 0, 0, 2});
  };
  EXPECT_TRUE(at::equal(shifted(2), sent));
  EXPECT_THROW(shifted(3), std::invalid_argument);
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
