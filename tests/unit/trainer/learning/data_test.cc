#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "base/files.h"
#include "trainer/data/augment.h"
#include "trainer/data/dataset.h"
#include "trainer/kernels/philox.h"

namespace pacbench::trainer {
namespace {

std::shared_ptr<const Dataset> digits(const std::string& transform = "none") {
  return load_dataset({"digits", {{"transform", transform}}}, "");
}

std::set<std::string> images_of(const Samples& samples) {
  std::set<std::string> images;
  for (std::int64_t i = 0; i < samples.count(); ++i) {
    const auto image = samples.inputs[i].contiguous();
    images.emplace(static_cast<const char*>(image.const_data_ptr()), image.nbytes());
  }
  return images;
}

TEST(HeldOut, SamplesAreOfTheTrainingSetAndAreNotTrainedOn) {
  const auto whole = digits();
  const auto split = load_dataset({"digits", {{"transform", "none"}}}, "", 180);
  EXPECT_EQ(split->test().count(), 180);
  EXPECT_EQ(split->training().count(), whole->training().count() - 180);
  auto together = images_of(split->training());
  together.merge(images_of(split->test()));
  EXPECT_EQ(together, images_of(whole->training()));
  const auto trained_on = images_of(split->training());
  for (const auto& image : images_of(split->test())) EXPECT_FALSE(trained_on.contains(image));
  // Pre-training on turned digits must not see the held-out images either.
  const auto turned = load_dataset({"digits", {{"transform", "rotate90"}}}, "", 180);
  EXPECT_TRUE(at::equal(turned->test().labels, split->test().labels));
  EXPECT_TRUE(at::equal(turned->test().inputs, split->test().inputs.rot90(1, {2, 3})));
}

TEST(Philox, MatchesThePublishedVectors) {
  // The known answers for philox4x32, 10 rounds, that Random123 publishes (kat_vectors).
  using Words = Philox4x32::Counter;
  EXPECT_EQ(Philox4x32::words({0, 0, 0, 0}, {0, 0}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(
      Philox4x32::words({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
      (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Philox4x32::words({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
      (Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Philox, EveryPartOfAKeyMakesAnotherStream) {
  std::set<float> seen;
  for (const auto& key :
       {RandomKey{}, RandomKey{.seed = 1}, RandomKey{.seed = std::int64_t{1} << 40},
        RandomKey{.use = RandomUse::kPruning}, RandomKey{.rank = 0}, RandomKey{.rank = 1},
        RandomKey{.iteration = 1}, RandomKey{.parameter = 1}}) {
    float first = 0;
    fill_uniform(key, 0, 1, &first);
    seen.insert(first);
  }
  EXPECT_EQ(seen.size(), 8);
}

TEST(Digits, AreSplitIntoFixedHalvesThatShareNoImage) {
  const auto set = digits();
  EXPECT_EQ(set->training().count(), 899);
  EXPECT_EQ(set->test().count(), 898);
  EXPECT_EQ(set->info().train_samples, 899);
  EXPECT_EQ(set->info().test_samples, 898);
  // The table begins with 0, 1, 2, 3.
  EXPECT_EQ(set->training().labels[0].item<int>(), 0);
  EXPECT_EQ(set->test().labels[0].item<int>(), 1);
  EXPECT_EQ(set->training().labels[1].item<int>(), 2);
  const auto distance = at::cdist(set->training().inputs.flatten(1).to(at::kFloat),
                                  set->test().inputs.flatten(1).to(at::kFloat));
  EXPECT_GT(distance.min().item<float>(), 0);
}

TEST(DrawnSamples, AreDifferentOnesWithTheirLabelsAndTheSameEveryTime) {
  const auto set = digits();
  const auto drawn = drawn_samples(set->test(), 100);
  ASSERT_EQ(drawn.count(), 100);
  EXPECT_TRUE(at::equal(drawn.inputs, drawn_samples(set->test(), 100).inputs));
  EXPECT_TRUE(at::equal(drawn.labels, drawn_samples(set->test(), 200).labels.narrow(0, 0, 100)));
  EXPECT_FALSE(at::equal(drawn.inputs, set->test().inputs.narrow(0, 0, 100)));
  EXPECT_TRUE(drawn_samples(set->test(), 0).inputs.is_same(set->test().inputs)) << "all";
  const auto images = set->test().inputs.flatten(1);
  const auto same = drawn.inputs.flatten(1).unsqueeze(1).eq(images).all(2);
  const auto rows = same.nonzero().select(1, 1);
  EXPECT_TRUE(at::equal(drawn.labels, set->test().labels.index_select(0, rows)));
  EXPECT_EQ(std::get<0>(at::_unique(rows)).numel(), 100);
}

TEST(Digits, TransformsTurnEveryImageAndKeepTheLabels) {
  const auto plain = digits()->training();
  const auto turned = digits("rotate90")->training();
  EXPECT_TRUE(at::equal(turned.labels, plain.labels));
  EXPECT_TRUE(at::equal(turned.inputs, plain.inputs.transpose(2, 3).flip({2})));
  EXPECT_TRUE(at::equal(digits("invert")->test().inputs, 16 - digits()->test().inputs));
  EXPECT_TRUE(at::equal(digits("flip")->test().inputs, digits()->test().inputs.flip({3})));
  EXPECT_THROW(digits("rotate45"), ConfigError);
}

TEST(TrainingBatch, DependsOnTheSeed) {
  const auto set = digits();
  const auto one = set->training_batch({.seed = 1, .batch_per_worker = 64});
  const auto other = set->training_batch({.seed = 2, .batch_per_worker = 64});
  EXPECT_FALSE(at::equal(one.labels, other.labels));
  EXPECT_THROW(set->training_batch({.iteration = 0}), std::logic_error);
}

TEST(BalancedBatch, HoldsEachClassEquallyOften) {
  const auto set = digits();
  EXPECT_TRUE(at::equal(at::bincount(set->balanced_batch(1, 25).labels), at::full({10}, 25)));
  // More images than there are: the batch has every training image once.
  EXPECT_EQ(set->balanced_batch(1, 1000).labels.size(0), 899);
  EXPECT_FALSE(at::equal(set->balanced_batch(1, 5).inputs, set->balanced_batch(2, 5).inputs));
}

TEST(Augmentation, ShiftsByUpToFourPixelsAndMirrorsHalfOfTheImages) {
  // One bright pixel, in row 16 and column 10, tells where an image went.
  auto images = at::zeros({4000, 3, 32, 32}, at::kByte);
  images.select(3, 10).select(2, 16).fill_(200);
  augment(images, 9, 0);
  const auto places = images.select(1, 0).nonzero();
  ASSERT_EQ(places.size(0), 4000);  // never shifted out of sight
  const auto rows = places.select(1, 1);
  EXPECT_EQ(rows.min().item<int>(), 12);
  EXPECT_EQ(rows.max().item<int>(), 20);
  const auto columns = places.select(1, 2);
  const auto mirrored = columns.ge(31 - 10 - 4);
  EXPECT_NEAR(mirrored.to(at::kFloat).mean().item<double>(), 0.5, 0.03);
  EXPECT_TRUE(at::equal(images.select(1, 0), images.select(1, 2)));  // channels stay together
}

TEST(Augmentation, DependsOnThePlaceInTheStreamAndNotOnTheBatch) {
  const auto original = at::randint(0, 255, {8, 3, 32, 32}, at::kByte);
  auto together = original.clone();
  augment(together, 3, 100);
  for (int i = 0; i < 8; ++i) {
    auto alone = original.narrow(0, i, 1).clone();
    augment(alone, 3, 100 + i);
    EXPECT_TRUE(at::equal(alone[0], together[i]));
  }
}

/// A folder with CIFAR files of the right sizes. All pixels are 7. The label of a file's first
/// record is `first_label`, and the labels of the other records are 3.
class CifarFolder {
 public:
  explicit CifarFolder(const std::string& name) : info_{dataset_info(name)} {
    std::filesystem::create_directories(folder_.path() + "/" + name);
    for (const auto& file : info_.files) write(file.name, file.bytes);
  }

  void write(const std::string& file, std::int64_t bytes, unsigned char first_label = 1) const {
    const auto label_bytes = static_cast<std::size_t>(info_.record_label_bytes);
    std::string records(static_cast<std::size_t>(bytes), '\7');
    for (auto label = label_bytes - 1; label < records.size(); label += label_bytes + 3072) {
      records[label] = 3;
    }
    records[label_bytes - 1] = static_cast<char>(first_label);
    std::ofstream{path() + "/" + info_.name + "/" + file, std::ios::binary} << records;
  }

  const std::string& path() const { return folder_.path(); }

 private:
  DatasetInfo info_;
  TemporaryFolder folder_;
};

const Json kCifarOptions{{"augment", false}, {"transform", "none"}};

TEST(Cifar, FilesHaveTheStandardSize) {
  const auto info = dataset_info("cifar10");
  EXPECT_EQ(info.files.size(), 6U);
  for (const auto& file : info.files) EXPECT_EQ(file.bytes, 30730000) << file.name;
}

TEST(Cifar, ReadsTheFineLabelAndAllRecords) {
  const CifarFolder folder{"cifar100"};
  const auto set = load_dataset({"cifar100", kCifarOptions}, folder.path());
  EXPECT_EQ(set->training().count(), 50000);
  EXPECT_EQ(set->test().count(), 10000);
  EXPECT_EQ(set->training().labels[0].item<int>(), 1);
  EXPECT_EQ(set->training().labels[49999].item<int>(), 3);
  EXPECT_TRUE(set->training().inputs.eq(7).all().item<bool>());
}

TEST(Cifar, SaysWhatIsWrongWithAFileAndHowToImportTheSet) {
  const CifarFolder folder{"cifar10"};
  const Choice choice{"cifar10", kCifarOptions};
  const auto expect_error = [&](const std::string& message) {
    EXPECT_THAT([&] { load_dataset(choice, folder.path()); },
                ::testing::ThrowsMessage<ConfigError>(::testing::HasSubstr(message)));
  };
  folder.write("data_batch_3.bin", 30730000 - 5);
  expect_error("data_batch_3.bin: found 30729995 bytes, expected 30730000");
  folder.write("data_batch_3.bin", 30730000, 77);
  expect_error("record 0 has label 77, expected one below 10");
  std::filesystem::remove(folder.path() + "/cifar10/data_batch_3.bin");
  expect_error("(No such file or directory): import the data set again");
}

TEST(Shakespeare, LabelsEachCharacterWithTheOneThatFollows) {
  const auto set = load_dataset({"tinyshakespeare", {}}, "");
  const auto& info = set->info();
  EXPECT_EQ(info.train_samples, set->training().count());
  EXPECT_EQ(info.test_samples, set->test().count());
  const auto batch = set->plain_batch(set->training(), 0, 2);
  EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{2, 128}));
  EXPECT_TRUE(at::equal(batch.labels.narrow(1, 0, 127), batch.inputs.narrow(1, 1, 127)));
  EXPECT_EQ(batch.labels[0][127].item<int>(), batch.inputs[1][0].item<int>());
  // Pruning gets as many tokens as there are labels to score.
  EXPECT_EQ(set->balanced_batch(1, 10).inputs.size(0), 6);  // 10 · 65 tokens, 128 a piece
  EXPECT_EQ(set->balanced_batch(1, 1).inputs.size(0), 1);
  EXPECT_FALSE(at::equal(set->balanced_batch(1, 10).inputs, set->balanced_batch(1, 10, 1).inputs));
}

}  // namespace
}  // namespace pacbench::trainer
