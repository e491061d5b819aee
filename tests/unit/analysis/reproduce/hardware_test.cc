#include "analysis/reproduce/hardware.h"

#include <gtest/gtest.h>

#include "tests/unit/harness/example_manifest.h"

namespace pacbench::reproduce::hardware_test {
namespace {

store::Manifest with_gpus(const std::vector<std::string>& names) {
  auto manifest = example_manifest();
  manifest.devices = {{"gpus", names}};
  return manifest;
}

TEST(Hardware, IsWhatTheManifestSays) {
  EXPECT_EQ(host_words(example_manifest()), "a CPU, 4 cores");
  EXPECT_EQ(kernel_words(example_manifest()), "Linux 6.1");
  EXPECT_EQ(gpu_words(example_manifest()), "");
}

TEST(Hardware, CountsGpusOfOneName) {
  EXPECT_EQ(gpu_words(with_gpus({"NVIDIA H200"})), "NVIDIA H200");
  EXPECT_EQ(gpu_words(with_gpus({"NVIDIA A40", "NVIDIA H200", "NVIDIA A40"})),
            "2 × NVIDIA A40 and NVIDIA H200");
}

TEST(Hardware, IsUnknownWithoutAManifest) {
  EXPECT_EQ(host_words(std::nullopt), "unknown host");
  EXPECT_EQ(kernel_words(std::nullopt), "unknown kernel");
  EXPECT_EQ(gpu_words(std::nullopt), "");
}

}  // namespace
}  // namespace pacbench::reproduce::hardware_test
