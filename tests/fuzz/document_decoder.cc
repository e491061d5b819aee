// Gives a document to the readers of scenarios, profiles, manifests, results with their cells,
// single cells, calibrations, and workers' lines. Whatever the document holds, they may throw
// ConfigError and ProtocolError alone. A document that was read must mean the same when it is
// written and read again.
#include <fmt/format.h>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/errors.h"
#include "contract/profile/profile.h"
#include "contract/result/result.h"
#include "contract/scenario/scenario.h"
#include "harness/calibration/result.h"
#include "harness/record/record.h"
#include "harness/store/cell_file.h"
#include "harness/store/manifest.h"
#include "tests/unit/contract/example_catalogue.h"

namespace pacbench {
namespace {

constexpr const char* kSource = "document";

template <typename Read>
void read_twice(const Json& document, Read read) {
  try {
    const auto first = to_json(read(document));
    const auto again = to_json(read(first));
    if (first == again) return;
    fmt::print(stderr, "read {}\nthen {}\n", first.dump(), again.dump());
    std::abort();
  } catch (const ConfigError&) {
  }
}

void read_line(const Json& document) {
  record::CellRecord record{record::RateLimits{12.5e6}};
  try {
    record.add(document);
  } catch (const ConfigError&) {
  } catch (const ProtocolError&) {
  }
}

void read_document(const Json& document) {
  static const auto catalogue = testing::example_catalogue();
  read_twice(document, [](const Json& one) { return scenario_from_json(kSource, one, catalogue); });
  read_twice(document, [](const Json& one) { return profile_from_json(kSource, one); });
  read_twice(document, [](const Json& one) { return run_result_from_json(kSource, one); });
  read_twice(document, [](const Json& one) {
    return cell_result_from_json(kSource, store::numbers_in(one));
  });
  read_twice(document, [](const Json& one) { return store::manifest_from_json(kSource, one); });
  read_twice(document,
             [](const Json& one) { return calibration::calibration_from_json(kSource, one); });
  read_line(document);
}

}  // namespace
}  // namespace pacbench

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pacbench;
  try {
    read_document(parse_json(kSource, {reinterpret_cast<const char*>(data), size}));
  } catch (const ConfigError&) {
  }
  return 0;
}
