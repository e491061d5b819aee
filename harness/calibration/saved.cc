#include "harness/calibration/saved.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "base/sha256.h"
#include "harness/machine/programs.h"

namespace pacbench::calibration {

std::string saved_path(const Environment& machine) {
  auto identity = fmt::format("{}\n{}\n{}", machine.cpu, machine.cores, machine.kernel);
  if (machine.cpu_quota && *machine.cpu_quota < machine.cores) {
    identity += fmt::format("\n{:.3g} CPUs' time", *machine.cpu_quota);
  }
  return fmt::format("{}/calibration/{}.json", data_folder(), sha256(identity).substr(0, 16));
}

void save(const Calibration& calibration) {
  const auto path = saved_path(calibration.machine);
  std::filesystem::create_directories(std::filesystem::path{path}.parent_path());
  write_file_atomically(path, to_json(calibration).dump(2) + '\n');
}

}  // namespace pacbench::calibration
