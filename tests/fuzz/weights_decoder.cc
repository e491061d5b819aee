// Reads bytes as a file of weights: a pickle, a state_dict in a zip archive, safetensors. Whatever
// the bytes are, the readers may do nothing worse than throw an exception that says what is wrong.
#include <torch/types.h>

#include <cstdint>
#include <exception>
#include <string_view>

#include "trainer/training/pickle.h"
#include "trainer/training/tensor_file.h"

namespace pacbench {
namespace {

template <typename Read>
void read_all(Read read) {
  try {
    read();
  } catch (const std::exception&) {
  }
}

void read_weights(std::string_view bytes) {
  namespace pickle = trainer::pickle;
  const pickle::Reader rules{[](const pickle::Value& id) { return id; },
                             [](const std::string&, const pickle::Sequence& arguments) {
                               return arguments.empty() ? pickle::Value{} : arguments.front();
                             }};
  read_all([&] { pickle::load(bytes, rules); });
  read_all([&] { trainer::read_state_dict(bytes); });
  if (trainer::looks_like_safetensors(bytes)) read_all([&] { trainer::parse_safetensors(bytes); });
}

}  // namespace
}  // namespace pacbench

/// torch's reader of zip archives does not free its list of files when an archive is malformed.
extern "C" const char* __lsan_default_suppressions() { return "leak:mz_zip_reader_init"; }

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  pacbench::read_weights({reinterpret_cast<const char*>(data), size});
  return 0;
}
