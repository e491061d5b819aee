#include "trainer/data/embedded_shakespeare.h"

asm(R"(
  .section .rodata
  .global pacbench_shakespeare_begin
  .global pacbench_shakespeare_end
pacbench_shakespeare_begin:
  .incbin ")" PACBENCH_SOURCE_DIR R"(/scenarios/data/tinyshakespeare.txt"
pacbench_shakespeare_end:
  .previous
)");

extern "C" const char pacbench_shakespeare_begin[];
extern "C" const char pacbench_shakespeare_end[];

namespace pacbench {

std::string_view embedded_shakespeare() {
  return {pacbench_shakespeare_begin,
          static_cast<std::size_t>(pacbench_shakespeare_end - pacbench_shakespeare_begin)};
}

}  // namespace pacbench
