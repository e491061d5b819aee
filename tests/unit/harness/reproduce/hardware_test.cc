#include "harness/reproduce/hardware.h"

#include <gtest/gtest.h>

namespace pacbench::reproduce::hardware_test {
namespace {

const Json kHost{{"environment", {{"cpu", "a CPU"}, {"cores", 4}, {"kernel", "Linux 6.1"}}}};

Json with_gpus(const std::vector<std::string>& names) {
  auto manifest = kHost;
  manifest["devices"]["gpus"] = names;
  return manifest;
}

TEST(Hardware, IsWhatTheManifestSays) {
  EXPECT_EQ(host_words(kHost), "a CPU, 4 cores");
  EXPECT_EQ(kernel_words(kHost), "Linux 6.1");
  EXPECT_EQ(gpu_words(kHost), "");
}

TEST(Hardware, CountsGpusOfOneName) {
  EXPECT_EQ(gpu_words(with_gpus({"NVIDIA H200"})), "NVIDIA H200");
  EXPECT_EQ(gpu_words(with_gpus({"NVIDIA A40", "NVIDIA H200", "NVIDIA A40"})),
            "2 × NVIDIA A40 and NVIDIA H200");
}

TEST(Hardware, IsUnknownWithoutAManifest) {
  EXPECT_EQ(host_words(nullptr), "unknown host");
  EXPECT_EQ(kernel_words(nullptr), "unknown kernel");
  EXPECT_EQ(gpu_words(nullptr), "");
}

}  // namespace
}  // namespace pacbench::reproduce::hardware_test
