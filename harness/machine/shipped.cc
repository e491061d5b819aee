#include "harness/machine/shipped.h"

#include <filesystem>

#include "base/subprocess.h"

namespace pacbench {

std::vector<std::string> shipped_folders(const std::string& name) {
  namespace fs = std::filesystem;
  const auto installed = fs::path{own_folder() + "/../share/pacbench/" + name}.lexically_normal();
  std::vector<std::string> folders;
  for (const auto& folder : {installed.string(), std::string{PACBENCH_SOURCE_FOLDER "/"} + name}) {
    std::error_code unreadable;
    if (fs::is_directory(folder, unreadable)) folders.push_back(folder);
  }
  return folders;
}

}  // namespace pacbench
