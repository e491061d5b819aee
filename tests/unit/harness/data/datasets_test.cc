#include "harness/data/datasets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "base/files.h"
#include "base/subprocess.h"
#include "harness/data/datasets_import.h"

namespace pacbench::data {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

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
    try {
      import_dataset(small_set(), path, data.path());
    } catch (const ConfigError& problem) {
      return problem.what();
    }
    return "";
  }

  bool data_is_empty() const { return fs::is_empty(data.path()); }
};

TEST_F(Import, CopiesTheFilesSoThatWorkersFindThem) {
  write(".", kRecord + kRecord, kRecord);
  EXPECT_THROW(require_dataset(small_set(), data.path()), ConfigError);
  EXPECT_EQ(import_dataset(small_set(), source.path(), data.path()), data.path() + "/cifar100");
  EXPECT_NO_THROW(require_dataset(small_set(), data.path()));
  EXPECT_EQ(read_file(data.path() + "/cifar100/test.bin"), kRecord);
  const auto entries = std::distance(fs::directory_iterator{data.path()}, {});
  EXPECT_EQ(entries, 1) << "something temporary stayed";
}

TEST_F(Import, LooksOneFolderDown) {
  write("cifar-100-binary", kRecord + kRecord, kRecord);
  EXPECT_EQ(error(source.path()), "");
}

TEST_F(Import, UnpacksTheArchive) {
  write("cifar-100-binary", kRecord + kRecord, kRecord);
  const auto archive = source.path() + "/set.tar.gz";
  run_checked({"tar", "-czf", archive, "-C", source.path(), "cifar-100-binary"});
  EXPECT_EQ(error(archive), "");
  EXPECT_NO_THROW(require_dataset(small_set(), data.path()));
}

TEST_F(Import, RefusesAFileThatIsNoArchive) {
  write(".", kRecord, kRecord);
  EXPECT_THAT(error(source.path() + "/train.bin"), HasSubstr("expected a folder or a .tar.gz"));
}

TEST_F(Import, ReplacesAnEarlierOne) {
  write(".", kRecord + kRecord, kRecord);
  import_dataset(small_set(), source.path(), data.path());
  const std::string other{"\x01\x02wxyz"};
  write(".", kRecord + kRecord, other);
  import_dataset(small_set(), source.path(), data.path());
  EXPECT_EQ(read_file(data.path() + "/cifar100/test.bin"), other);
}

TEST_F(Import, LeavesAnEarlierOneWhereTheNewOneCannotBePutInItsPlace) {
  write(".", kRecord + kRecord, kRecord);
  const auto there = import_dataset(small_set(), source.path(), data.path());
  EXPECT_THROW(put_in_place(data.path() + "/missing", there, data.path() + "/aside"),
               fs::filesystem_error);
  EXPECT_NO_THROW(require_dataset(small_set(), data.path()));
}

TEST_F(Import, NamesATruncatedFileWithBothLengthsAndChangesNothing) {
  write(".", kRecord + "pq", kRecord);
  EXPECT_THAT(error(source.path()),
              HasSubstr("train.bin is truncated: found 8 bytes, expected 12"));
  EXPECT_TRUE(data_is_empty());
}

TEST_F(Import, NamesEveryBadFile) {
  write(".", kRecord + "pq", kRecord + "x");
  EXPECT_THAT(error(source.path()), HasSubstr("train.bin is truncated"));
  EXPECT_THAT(error(source.path()), HasSubstr("test.bin is too long: found 7 bytes, expected 6"));
}

TEST_F(Import, RefusesALabelThatTheSetDoesNotHave) {
  write(".", kRecord + std::string{"\x01\x0Apqrs"}, kRecord);
  EXPECT_THAT(error(source.path()),
              HasSubstr("train.bin: record 1 has the label 10, expected 0 to 9"));
  EXPECT_TRUE(data_is_empty());
}

TEST_F(Import, SaysWhichFilesItLookedFor) {
  EXPECT_THAT(error(source.path()), HasSubstr("expected train.bin, test.bin"));
}

TEST_F(Import, NamesAMissingFile) {
  write(".", kRecord + kRecord, kRecord);
  fs::remove(source.path() + "/test.bin");
  EXPECT_THAT(error(source.path()), HasSubstr("test.bin is missing, expected 6 bytes"));
}

TEST(RequireDataset, AsksNothingOfEmbeddedSets) {
  auto dataset = small_set();
  dataset.files.clear();
  EXPECT_NO_THROW(require_dataset(dataset, "/nonexistent"));
}

TEST(RequireDataset, SaysInOneLineHowToImportWhatIsMissing) {
  try {
    require_dataset(small_set(), "/nonexistent");
    FAIL() << "accepted";
  } catch (const ConfigError& problem) {
    EXPECT_EQ(problem.issues().size(), 1u) << "one data set is missing, however many its files";
    EXPECT_THAT(problem.what(), Not(HasSubstr("\n")));
    EXPECT_THAT(problem.what(), HasSubstr("/nonexistent/cifar100"));
    EXPECT_THAT(problem.what(), HasSubstr("pacbench data import cifar100 PATH"));
  }
}

TEST_F(Import, ThatWasHarmedLaterIsToldFromOneThatNeverWas) {
  write(".", kRecord + kRecord, kRecord);
  import_dataset(small_set(), source.path(), data.path());
  fs::resize_file(data.path() + "/cifar100/train.bin", 3);
  fs::remove(data.path() + "/cifar100/test.bin");
  try {
    require_dataset(small_set(), data.path());
    FAIL() << "accepted";
  } catch (const ConfigError& problem) {
    EXPECT_EQ(problem.issues().size(), 1u);
    EXPECT_THAT(problem.what(), HasSubstr("train.bin is 3 bytes long, expected 12, and 1 more"));
    EXPECT_THAT(problem.what(), HasSubstr("pacbench data import cifar100 PATH"));
  }
}

}  // namespace
}  // namespace pacbench::data
