#include "netem/kernel/net_namespace.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace pacbench::netem {
namespace {

TEST(InitialNamespace, IsRefusedAndNoOther) {
  std::error_code hidden;
  const auto first = std::filesystem::read_symlink("/proc/1/ns/net", hidden);
  if (!hidden && first == std::filesystem::read_symlink("/proc/thread-self/ns/net")) {
    EXPECT_THROW(refuse_initial_namespace(), std::runtime_error);
  }
  std::optional<NetNamespace> own;
  try {
    own.emplace(NetNamespace::create());
  } catch (const std::system_error& error) {
    GTEST_SKIP() << error.what();
  }
  const auto inside = own->enter();
  EXPECT_NO_THROW(refuse_initial_namespace());
}

}  // namespace
}  // namespace pacbench::netem
