#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include <fstream>

#include "base/files.h"
#include "base/sha256.h"
#include "tests/unit/trainer/learning/formula.h"
#include "trainer/data/dataset.h"
#include "trainer/models/model.h"
#include "trainer/training/checkpoint.h"
#include "trainer/training/pickle.h"

namespace pacbench::trainer {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

std::shared_ptr<Model> small_mlp() {
  return make_model({"mlp", {{"hidden", {2}}}}, dataset_info("digits"), 1);
}

void expect_refused(const std::string& path, const std::string& message,
                    const std::string& hash = "") {
  const auto model = small_mlp();
  EXPECT_THAT([&] { load_checkpoint(*model, path, "expected another file", hash); },
              ThrowsMessage<ConfigError>(HasSubstr(message)));
}

/// Expects all parameters to have record_checkpoints.py's values, in the precision of the file.
void expect_recorded(const std::string& path, at::ScalarType precision) {
  const auto model = small_mlp();
  load_checkpoint(*model, path);
  for (const auto& item : model->named_parameters()) {
    const auto expected = testing::value(item.key(), item.value().sizes()).to(precision);
    EXPECT_TRUE(at::equal(item.value(), expected.to(at::kFloat))) << item.key();
  }
}

/// Writes a file of safetensors with one tensor of four zeros, which `header` may describe wrongly.
std::string safetensors(const std::string& folder, const std::string& header) {
  const auto path = folder + "/a.safetensors";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  std::ofstream{path, std::ios::binary} << bytes << header << std::string(16, '\0');
  return path;
}

TEST(CheckpointFiles, OfTorchSaveAndOfSafetensorsAreReadAndConverted) {
  expect_recorded(RECORDED_CHECKPOINTS "/mlp.pt", at::kFloat);
  expect_recorded(RECORDED_CHECKPOINTS "/mlp.safetensors", at::kHalf);
}

TEST(CheckpointFiles, OfAnotherHashThanTheScenarioSawAreRefused) {
  const std::string path{RECORDED_CHECKPOINTS "/mlp.pt"};
  EXPECT_NO_THROW(load_checkpoint(*small_mlp(), path, "", sha256(read_file(path))));
  expect_refused(path, sha256(read_file(path)), std::string(64, '0'));
}

/// One file's tensor has a terabyte, all of it the same number. The other has 8 KB and expands to
/// 8 MB.
TEST(CheckpointFiles, ThatWouldTakeMuchMoreMemoryThanTheyHaveBytesAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/a.pt";
  c10::Dict<std::string, at::Tensor> tensors;
  tensors.insert("fc1.weight", at::zeros({1}).expand({1 << 20, 1 << 18}));
  const auto bytes = torch::pickle_save(tensors);
  std::ofstream{path, std::ios::binary}.write(bytes.data(), std::ssize(bytes));
  expect_refused(path, "more than 8 times its own");
  expect_refused(RECORDED_CHECKPOINTS "/bomb.pt", "more than 8 times its own");
}

/// Expects an error about a pickle, whose reader refuses all calls and all values from outside.
void expect_refused_pickle(const std::string& bytes, const std::string& message) {
  const pickle::Reader rules{
      [](const pickle::Value&) -> pickle::Value { throw std::runtime_error{"asked for"}; },
      [](const std::string& name, const pickle::Sequence&) -> pickle::Value {
        throw std::runtime_error{"called " + name};
      }};
  EXPECT_THAT([&] { pickle::load(bytes, rules); }, ThrowsMessage<std::runtime_error>(message));
}

TEST(Pickle, NeverRunsWhatItNames) {
  expect_refused_pickle(std::string("\x80\x02"
                                    "cos\nsystem\nX\x02\0\0\0id\x85R.",
                                    23),
                        "called os.system");
}

TEST(Pickle, ThatRepeatsALongTextIsRefused) {
  std::string bytes{"(X"};
  bytes += std::string("\0\0\x10\0", 4) + std::string(1 << 20, 'a') + std::string("q\0", 2);
  for (int i = 0; i < 100; ++i) bytes += std::string("h\0", 2);
  expect_refused_pickle(bytes + "t.", "its pickle repeats long texts");
}

TEST(Pickle, NestsContainersOnlySoDeepThatDestroyingThemNeedsLittleStack) {
  EXPECT_NO_THROW(pickle::load(")" + std::string(63, '\x85') + ".", {}));
  expect_refused_pickle(")" + std::string(1 << 20, '\x85') + ".",
                        "its pickle nests containers more than 64 deep");
  expect_refused_pickle(std::string("]q\0h\0a.", 7),
                        "its pickle has a container that holds itself");
  // The inner list becomes deeper after the outer one was measured.
  expect_refused_pickle(std::string("]q\0\x85h\0Na.", 9),
                        "its pickle changes a container that is inside another one");
}

TEST(Pickle, ThatIsDamagedIsRefused) {
  for (const auto* bytes : {"\x80", "cos"}) {
    expect_refused_pickle(bytes, "its pickle ends too early");
  }
  for (const auto* bytes : {".", "(.", "t.", "h\x01.", "}Nu.", "NR."}) {
    expect_refused_pickle(bytes, "its pickle uses a value that it did not store");
  }
  expect_refused_pickle("}(Nu.", "its pickle has a key without a value");
  expect_refused_pickle("N)R.", "expected a function in its pickle");
  expect_refused_pickle("\x8a\x09.", "its pickle has an integer of more than 64 bits");
  expect_refused_pickle("i.", "its pickle has opcode 0x69, which tensors do not need");
}

TEST(CheckpointFiles, ThatContradictThemselvesAreRefused) {
  const TemporaryFolder folder;
  const auto refuses = [&](const std::string& header, const std::string& message) {
    expect_refused(safetensors(folder.path(), header), message);
  };
  refuses(R"({"a":{"dtype":"F32","shape":[5],"data_offsets":[0,16]}})",
          "tensor a of shape [5] lies at bytes 0 to 16 of 16, but needs 20 bytes");
  refuses(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[4,20]}})",
          "lies at bytes 4 to 20 of 16");
  refuses(R"({"a":{"dtype":"F8","shape":[4],"data_offsets":[0,4]}})", "\"F8\"");
  refuses(R"({"a":{"dtype":"F32"}})", "expected another file");
  refuses("{", "not a file of tensors");
  const std::string whole = R"({"dtype":"U8","shape":[16],"data_offsets":[0,16]})";
  refuses(R"({"a":)" + whole + R"(,"b":)" + whole + "}", "two of its tensors up to b overlap");
  const auto path = folder.path() + "/short";
  write_file_atomically(path, std::string("\xff\xff\0\0\0\0\0\0{}", 10));
  expect_refused(path, "its header is said to have 65535 bytes");
}

}  // namespace
}  // namespace pacbench::trainer
