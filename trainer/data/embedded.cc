#include "trainer/data/embedded.h"

// Embeds a file of scenarios/data: its bytes lie between the symbols NAME_begin and NAME_end.
// clang-format off
#define PACBENCH_EMBED(name, file)                                        \
  asm("  .section .rodata\n"                                              \
      "  .global " #name "_begin\n"                                       \
      "  .global " #name "_end\n"                                         \
      #name "_begin:\n"                                                   \
      "  .incbin \"" PACBENCH_SOURCE_DIR "/scenarios/data/" file "\"\n"   \
      #name "_end:\n"                                                     \
      "  .previous\n");                                                   \
  extern "C" const char name##_begin[];                                   \
  extern "C" const char name##_end[]
// clang-format on

PACBENCH_EMBED(pacbench_digits, "digits.csv");
PACBENCH_EMBED(pacbench_shakespeare, "tinyshakespeare.txt");

namespace pacbench::trainer {
namespace {

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

std::string_view embedded_digits() { return between(pacbench_digits_begin, pacbench_digits_end); }

std::string_view embedded_shakespeare() {
  return between(pacbench_shakespeare_begin, pacbench_shakespeare_end);
}

}  // namespace pacbench::trainer
