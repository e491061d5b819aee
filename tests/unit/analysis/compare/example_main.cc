#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <map>

#include "tests/unit/analysis/compare/example_runs.h"

namespace pacbench::compare {
namespace {

Edit of_files(const std::function<void(Json& manifest, Json& result)>& change) {
  Edit edit;
  edit.files = change;
  return edit;
}

void other_kernel(Json& manifest, Json&) { manifest["environment"]["kernel"] = "Linux 6.8"; }

void other_scenario(Json& manifest, Json& result) {
  manifest["scenario"]["methods"][1]["clip"] = 2.5;
  result["scenario"]["methods"][1]["clip"] = 2.5;
}

const std::map<std::string, Edit> kEdits{
    {"same", {}},
    {"slower-encode", edit_of("ternary", [](CellResult& cell) { cell.encode_s *= 1.2; })},
    {"other-kernel", of_files(other_kernel)},
    {"other-scenario", of_files(other_scenario)},
};

}  // namespace
}  // namespace pacbench::compare

/// pacbench-example-side FOLDER EDIT RUNS FIRST   writes RUNS results folders into FOLDER, changed
/// by the edit of this name. FIRST is the number that write_run() gets for the first of them.
int main(int argc, char** argv) {
  using namespace pacbench::compare;
  const auto edit = argc == 5 ? kEdits.find(argv[2]) : kEdits.end();
  if (edit == kEdits.end()) {
    fmt::print(stderr, "usage: pacbench-example-side FOLDER EDIT RUNS FIRST\n");
    return 2;
  }
  for (int i = 0; i < std::atoi(argv[3]); ++i) {
    write_run(fmt::format("{}/run{:02}", argv[1], i), std::atoi(argv[4]) + i, edit->second);
  }
  return 0;
}
