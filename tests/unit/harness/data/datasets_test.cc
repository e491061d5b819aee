#include "harness/data/datasets.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "base/subprocess.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::data {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

/// A small data set like CIFAR-100: each record has two label bytes and a 1×2×2 image.
DatasetInfo small_set() {
  DatasetInfo dataset;
  dataset.name = "cifar100";
  dataset.shape = {1, 2, 2};
  dataset.classes = 10;
  dataset.record_label_bytes = 2;
  dataset.files = {{"train.bin", 12}, {"test.bin", 6}};
  return dataset;
}

// The coarse label may have any value: only the second byte, the fine label, is used.
const std::string kRecord{"\xFF\x09pqrs"};

struct Import : ::testing::Test {
  TemporaryFolder source;
  TemporaryFolder data;

  void write(const std::string& folder, const std::string& train, const std::string& test) const {
    fs::create_directories(source.path() + "/" + folder);
    write_file_atomically(source.path() + "/" + folder + "/train.bin", train);
    write_file_atomically(source.path() + "/" + folder + "/test.bin", test);
  }

  std::string error(const std::string& path) const {
    return testing::refusal_words([&] { import_dataset(small_set(), path, data.path()); });
  }
};

TEST_F(Import, LooksOneFolderDownAndUnpacksTheArchive) {
  write("cifar-100-binary", kRecord + kRecord, kRecord);
  EXPECT_EQ(error(source.path()), "");
  fs::remove_all(data.path() + "/cifar100");
  const auto archive = source.path() + "/set.tar.gz";
  run_checked({"tar", "-czf", archive, "-C", source.path(), "cifar-100-binary"});
  EXPECT_EQ(error(archive), "");
  EXPECT_NO_THROW(require_dataset(small_set(), data.path()));
}

TEST_F(Import, ReplacesAnEarlierOneUnlessTheNewOneCannotBePutInItsPlace) {
  write(".", kRecord + kRecord, kRecord);
  import_dataset(small_set(), source.path(), data.path());
  const std::string other{"\x01\x02wxyz"};
  write(".", kRecord + kRecord, other);
  const auto there = import_dataset(small_set(), source.path(), data.path());
  EXPECT_EQ(there, data.path() + "/cifar100");
  EXPECT_EQ(read_file(there + "/test.bin"), other);
  const auto entries = std::distance(fs::directory_iterator{data.path()}, {});
  EXPECT_EQ(entries, 1) << "something temporary stayed";
  EXPECT_THROW(put_in_place(data.path() + "/missing", there, data.path() + "/aside"),
               fs::filesystem_error);
  EXPECT_NO_THROW(require_dataset(small_set(), data.path()));
}

TEST_F(Import, NamesEveryBadFileWithBothLengthsAndChangesNothing) {
  EXPECT_THAT(error(source.path()), HasSubstr("expected train.bin, test.bin"));
  write(".", kRecord + "pq", kRecord + "x");
  EXPECT_THAT(error(source.path()),
              AllOf(HasSubstr("train.bin is truncated: found 8 bytes, expected 12"),
                    HasSubstr("test.bin is too long: found 7 bytes, expected 6")));
  EXPECT_THAT(error(source.path() + "/train.bin"), HasSubstr("expected a folder or a .tar.gz"));
  fs::remove(source.path() + "/test.bin");
  EXPECT_THAT(error(source.path()), HasSubstr("test.bin is missing, expected 6 bytes"));
  write(".", kRecord + std::string{"\x01\x0Apqrs"}, kRecord);
  EXPECT_THAT(error(source.path()),
              HasSubstr("train.bin: record 1 has the label 10, expected 0 to 9"));
  EXPECT_TRUE(fs::is_empty(data.path()));
}

/// Expects that require_dataset() refuses the small set in this folder in one line with `words`.
void expect_missing(const std::string& folder, const char* words) {
  const std::string cure = "pacbench data import cifar100 PATH";
  EXPECT_THAT(
      [&] { require_dataset(small_set(), folder); },
      ThrowsMessage<ConfigError>(AllOf(HasSubstr(words), HasSubstr(cure), Not(HasSubstr("\n")))));
}

TEST(RequireDataset, SaysInOneLineHowToImportWhatIsMissing) {
  expect_missing("/nonexistent", "/nonexistent/cifar100");
  auto embedded = small_set();
  embedded.files.clear();
  EXPECT_NO_THROW(require_dataset(embedded, "/nonexistent"));
}

TEST_F(Import, ThatWasHarmedLaterIsToldFromOneThatNeverWas) {
  write(".", kRecord + kRecord, kRecord);
  import_dataset(small_set(), source.path(), data.path());
  fs::resize_file(data.path() + "/cifar100/train.bin", 3);
  fs::remove(data.path() + "/cifar100/test.bin");
  expect_missing(data.path(), "train.bin is 3 bytes long, expected 12, and 1 more");
}

}  // namespace
}  // namespace pacbench::data
