// The record of a cell survives a crash, and changes to it are found.
#include "harness/store/cell_file.h"

#include <gmock/gmock.h>

#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "base/text_file.h"

namespace pacbench::store::cell_file_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

class CellFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder());
    for (const char* name : {"events", "iterations", "curve", "network"}) {
      write_file_atomically(file(std::string{name} + ".jsonl"), kLines);
    }
    write_file_atomically(file("worker.log"), "");
    write_file_atomically(file("state-6.pt"), "state");
    write_file_atomically(probes(), "probe\n");
  }

  std::string folder() const { return run_.path() + "/cells/a"; }
  std::string file(const std::string& name) const { return folder() + "/" + name; }
  std::string probes() const { return run_.path() + "/probes.jsonl"; }

  void finish(CellStatus status = CellStatus::kDone) const {
    CellResult result;
    result.label = result.link = "a";
    result.status = status;
    result.reason = status == CellStatus::kDone ? "" : "why";
    store::finish_cell(folder(), result);
  }

  /// The changes that are found, in words.
  std::string changes() const {
    std::string words;
    for (const auto& issue : store::changed_cell(folder())) {
      words += issue.pointer + ": " + issue.message + '\n';
    }
    return words;
  }

  auto reading() const {
    return [this] { store::read_cell_file(file("cell.json")); };
  }

  /// Writes cell.json again without a key.
  void without(const std::string& key) const {
    auto document = read_json_file(file("cell.json"));
    document.erase(key);
    write_file_atomically(file("cell.json"), document.dump(2));
  }

  static constexpr const char* kLines = "{\"event\":\"x\"}\n{\"event\":\"y\"}\n";

 private:
  TemporaryFolder run_;
};

TEST_F(CellFiles, OfADoneCellHoldTheirLinesCompressedAndNoState) {
  write_file_atomically(file("state-x.pt"), "unfinished");
  finish();
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator{folder()}) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, ::testing::UnorderedElementsAre("cell.json", "events.jsonl", "curve.jsonl",
                                                     "iterations.jsonl.gz", "network.jsonl.gz",
                                                     "worker.log"));
  EXPECT_EQ(TextReader{file("iterations.jsonl")}.read(), kLines);
  EXPECT_EQ(changes(), "");
}

TEST_F(CellFiles, OfAFailedCellStayAsTheyAre) {
  finish(CellStatus::kFailed);
  EXPECT_EQ(read_file(file("iterations.jsonl")), kLines);
  EXPECT_TRUE(fs::exists(file("state-6.pt")));
  EXPECT_EQ(changes(), "");
}

TEST_F(CellFiles, HaveChecksumsOfTheirTextAndAreTheSameWhenTheyAreWrittenTwice) {
  finish();
  const auto files = store::read_cell_file(file("cell.json")).files;
  ASSERT_TRUE(files);
  ASSERT_THAT(*files, SizeIs(6)) << "those of the cell, and the run's probes";
  EXPECT_EQ(files->at(1), (store::RecordedFile{"iterations.jsonl", 28, 2, sha256(kLines)}));
  EXPECT_EQ(files->at(5).sha256, sha256("probe\n"));
  const auto before = read_file(file("cell.json"));
  finish();
  EXPECT_EQ(read_file(file("cell.json")), before);
}

TEST_F(CellFiles, ThatWereChangedOrAddedAreNamedWithWhatWasFoundAndExpected) {
  fs::remove(file("network.jsonl"));
  finish();
  const std::string twice = std::string{kLines} + kLines;
  write_file_atomically(file("curve.jsonl"), twice);
  fs::remove(file("events.jsonl"));
  write_file_atomically(file("iterations.jsonl.gz"), "no gzip at all\n");
  write_file_atomically(file("network.jsonl"), kLines);
  const auto found = changes();
  EXPECT_THAT(found, HasSubstr("cells/a/curve.jsonl: found 4 lines in 56 bytes with SHA-256 " +
                               sha256(twice) + ", expected 2 lines in 28 bytes"));
  EXPECT_THAT(found, HasSubstr("cells/a/events.jsonl: found no such file, expected 2 lines"));
  EXPECT_THAT(found, HasSubstr("cells/a/iterations.jsonl: found 1 lines"));
  EXPECT_THAT(found, HasSubstr("cells/a/network.jsonl: found a file, expected none"));
}

TEST_F(CellFiles, MayBeDecompressedOrLeftOutWhereNothingNeedsThemToGoOn) {
  finish();
  fs::remove(file("iterations.jsonl.gz"));
  write_file_atomically(file("iterations.jsonl"), kLines);
  EXPECT_EQ(changes(), "");
  fs::remove(file("iterations.jsonl"));
  fs::remove(file("worker.log"));
  EXPECT_EQ(changes(), "");
  EXPECT_THAT(store::changed_lines(folder()), SizeIs(2)) << "an audit misses them";
}

TEST_F(CellFiles, LetTheProbesOfTheRunBecomeMoreButNotOthers) {
  finish();
  LineFile{probes()}.append("of a later cell");
  EXPECT_EQ(changes(), "");
  write_file_atomically(probes(), "other\nof a later cell\n");
  EXPECT_THAT(changes(), HasSubstr("/probes.jsonl: found 1 lines in 6 bytes"));
}

TEST_F(CellFiles, AreRefusedWhenTheirChecksumsWereTakenOutButForThoseOfAnEarlierPacbench) {
  finish();
  without("files");
  EXPECT_THAT(reading(), ThrowsMessage<ConfigError>(HasSubstr("/files: missing beside /sha256")));
  finish();
  without("sha256");
  EXPECT_THAT(reading(), ThrowsMessage<ConfigError>(HasSubstr("/sha256: missing beside /files")));
  without("files");
  EXPECT_FALSE(store::read_cell_file(file("cell.json")).files) << "an earlier pacbench had neither";
  EXPECT_EQ(changes(), "");
}

}  // namespace
}  // namespace pacbench::store::cell_file_test
