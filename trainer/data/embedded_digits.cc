#include "trainer/data/embedded_digits.h"

asm(R"(
  .section .rodata
  .global pacbench_digits_begin
  .global pacbench_digits_end
pacbench_digits_begin:
  .incbin ")" PACBENCH_SOURCE_DIR R"(/scenarios/data/digits.csv"
pacbench_digits_end:
  .previous
)");

extern "C" const char pacbench_digits_begin[];
extern "C" const char pacbench_digits_end[];

namespace pacbench {

std::string_view embedded_digits() {
  return {pacbench_digits_begin,
          static_cast<std::size_t>(pacbench_digits_end - pacbench_digits_begin)};
}

}  // namespace pacbench
