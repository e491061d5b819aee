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

std::shared_ptr<Model> mlp_of(std::int64_t hidden) {
  return make_model({"mlp", {{"hidden", {hidden}}}}, dataset_info("digits"), 1);
}

std::string refusal(const std::string& path) {
  const auto model = mlp_of(2);
  try {
    load_checkpoint(*model, path, "expected another file");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "";
}

/// Expects all parameters to have record_checkpoints.py's values, in the precision of the file.
void expect_recorded(const Model& model, at::ScalarType precision) {
  for (const auto& item : model.named_parameters()) {
    const auto expected =
        testing::value(item.key(), item.value().sizes()).to(precision).to(at::kFloat);
    EXPECT_TRUE(at::equal(item.value(), expected)) << item.key();
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

TEST(CheckpointFiles, OfTorchSaveAreRead) {
  const auto model = mlp_of(2);
  load_checkpoint(*model, RECORDED_CHECKPOINTS "/mlp.pt");
  expect_recorded(*model, at::kFloat);
}

TEST(CheckpointFiles, OfSafetensorsAreReadAndConverted) {
  const auto model = mlp_of(2);
  load_checkpoint(*model, RECORDED_CHECKPOINTS "/mlp.safetensors");
  expect_recorded(*model, at::kHalf);
}

TEST(CheckpointFiles, OfAnotherModelAreRefusedWithEveryTensorThatDiffers) {
  const auto model = mlp_of(3);
  for (const auto* file : {"/mlp.pt", "/mlp.safetensors"}) {
    try {
      load_checkpoint(*model, std::string{RECORDED_CHECKPOINTS} + file);
      FAIL();
    } catch (const ConfigError& error) {
      EXPECT_THAT(error.what(), HasSubstr("fc1.weight: found "));
      EXPECT_THAT(error.what(), HasSubstr("[2, 64], expected Float [3, 64]"));
      EXPECT_THAT(error.what(), HasSubstr("fc1.bias: found "));
      EXPECT_THAT(error.what(), HasSubstr("fc2.weight: found "));
    }
  }
}

TEST(CheckpointFiles, OfAnotherHashThanTheScenarioSawAreRefused) {
  const std::string path{RECORDED_CHECKPOINTS "/mlp.pt"};
  const auto model = mlp_of(2);
  EXPECT_NO_THROW(load_checkpoint(*model, path, "", sha256(read_file(path))));
  try {
    load_checkpoint(*model, path, "", std::string(64, '0'));
    FAIL();
  } catch (const ConfigError& error) {
    EXPECT_THAT(error.what(), HasSubstr(sha256(read_file(path))));
    EXPECT_THAT(error.what(), HasSubstr("the file was changed after the scenario was read"));
  }
}

/// The file's tensor has a terabyte, all of it the same number.
TEST(CheckpointFiles, ThatWouldTakeMuchMoreMemoryThanTheyHaveBytesAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/a.pt";
  c10::Dict<std::string, at::Tensor> tensors;
  tensors.insert("fc1.weight", at::zeros({1}).expand({1 << 20, 1 << 18}));
  const auto bytes = torch::pickle_save(tensors);
  std::ofstream{path, std::ios::binary}.write(bytes.data(), std::ssize(bytes));
  EXPECT_THAT(refusal(path), HasSubstr("more than 8 times its own"));
}

/// The file has 8 KB and expands to 8 MB.
TEST(CheckpointFiles, ThatUnfoldToMuchMoreThanTheyHaveBytesAreRefused) {
  EXPECT_THAT(refusal(RECORDED_CHECKPOINTS "/bomb.pt"), HasSubstr("more than 8 times its own"));
}

TEST(CheckpointFiles, WhoseTensorsLieOverEachOtherAreRefused) {
  const TemporaryFolder folder;
  const std::string whole = R"({"dtype":"U8","shape":[16],"data_offsets":[0,16]})";
  const auto path = safetensors(folder.path(), R"({"a":)" + whole + R"(,"b":)" + whole + "}");
  EXPECT_THAT(refusal(path), HasSubstr("two of its tensors up to b overlap"));
}

/// The error about a pickle, when its reader refuses all calls and all values from outside of it.
/// Empty when there is none.
std::string pickle_refusal(const std::string& bytes) {
  const pickle::Reader rules{
      [](const pickle::Value&) -> pickle::Value { throw std::runtime_error{"asked for"}; },
      [](const std::string& name, const pickle::Sequence&) -> pickle::Value {
        throw std::runtime_error{"called " + name};
      }};
  try {
    pickle::load(bytes, rules);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Pickle, NeverRunsWhatItNames) {
  EXPECT_EQ(pickle_refusal(std::string("\x80\x02"
                                       "cos\nsystem\nX\x02\0\0\0id\x85R.",
                                       23)),
            "called os.system");
}

TEST(Pickle, ThatRepeatsALongTextIsRefused) {
  std::string bytes{"(X"};
  bytes += std::string("\0\0\x10\0", 4) + std::string(1 << 20, 'a') + std::string("q\0", 2);
  for (int i = 0; i < 100; ++i) bytes += std::string("h\0", 2);
  EXPECT_EQ(pickle_refusal(bytes + "t."), "its pickle repeats long texts");
}

TEST(Pickle, NestsContainersOnlySoDeepThatDestroyingThemNeedsLittleStack) {
  EXPECT_EQ(pickle_refusal(")" + std::string(63, '\x85') + "."), "");
  EXPECT_EQ(pickle_refusal(")" + std::string(1 << 20, '\x85') + "."),
            "its pickle nests containers more than 64 deep");
  EXPECT_EQ(pickle_refusal(std::string("]q\0h\0a.", 7)),
            "its pickle has a container that holds itself");
  // The inner list becomes deeper after the outer one was measured.
  EXPECT_EQ(pickle_refusal(std::string("]q\0\x85h\0Na.", 9)),
            "its pickle changes a container that is inside another one");
}

TEST(Pickle, ThatIsDamagedIsRefused) {
  EXPECT_EQ(pickle_refusal("\x80"), "its pickle ends too early");
  EXPECT_EQ(pickle_refusal("cos"), "its pickle ends too early");
  EXPECT_EQ(pickle_refusal("."), "its pickle uses a value that it did not store");
  EXPECT_EQ(pickle_refusal("(."), "its pickle uses a value that it did not store");
  EXPECT_EQ(pickle_refusal("t."), "its pickle uses a value that it did not store");
  EXPECT_EQ(pickle_refusal("h\x01."), "its pickle uses a value that it did not store");
  EXPECT_EQ(pickle_refusal("}Nu."), "its pickle uses a value that it did not store");
  EXPECT_EQ(pickle_refusal("}(Nu."), "its pickle has a key without a value");
  EXPECT_EQ(pickle_refusal("NR."), "its pickle uses a value that it did not store");
  EXPECT_EQ(pickle_refusal("N)R."), "expected a function in its pickle");
  EXPECT_EQ(pickle_refusal("\x8a\x09."), "its pickle has an integer of more than 64 bits");
  EXPECT_EQ(pickle_refusal("i."), "its pickle has opcode 0x69, which tensors do not need");
}

TEST(CheckpointFiles, ThatAreNoArchiveAreRefused) {
  const TemporaryFolder folder;
  const auto path = folder.path() + "/text.pt";
  std::ofstream{path} << "weights";
  EXPECT_THAT(refusal(path), HasSubstr("not a file of tensors"));
}

TEST(CheckpointFiles, ThatContradictThemselvesAreRefused) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& header) {
    return refusal(safetensors(folder.path(), header));
  };
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[5],"data_offsets":[0,16]}})"),
              HasSubstr("tensor a of shape [5] lies at bytes 0 to 16 of 16, but needs 20 bytes"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32","shape":[4],"data_offsets":[4,20]}})"),
              HasSubstr("lies at bytes 4 to 20 of 16"));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F8","shape":[4],"data_offsets":[0,4]}})"),
              HasSubstr("\"F8\""));
  EXPECT_THAT(refused(R"({"a":{"dtype":"F32"}})"), HasSubstr("expected another file"));
  EXPECT_THAT(refused("{"), HasSubstr("not a file of tensors"));
  const auto path = folder.path() + "/short";
  std::ofstream{path, std::ios::binary} << std::string("\xff\xff\0\0\0\0\0\0{}", 10);
  EXPECT_THAT(refusal(path), HasSubstr("its header is said to have 65535 bytes"));
}

}  // namespace
}  // namespace pacbench::trainer
