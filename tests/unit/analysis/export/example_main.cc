#include <fmt/format.h>

#include "base/files.h"
#include "tests/unit/analysis/export/example_folder.h"
#include "tests/unit/analysis/report/example_run.h"

/// pacbench-example-run RUN PROGRAMS   writes a run's folder, and a catalogue for PACBENCH_PROGRAMS
int main(int argc, char** argv) {
  using namespace pacbench;
  if (argc != 3) {
    fmt::print(stderr, "usage: pacbench-example-run RUN PROGRAMS\n");
    return 2;
  }
  exports::write_example_folder(argv[1], report::example_run());
  write_file_atomically(fmt::format("{}/catalog.json", argv[2]),
                        to_json(exports::example_catalogue()).dump());
  return 0;
}
