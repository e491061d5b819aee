#include "harness/machine/programs.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/environment.h"
#include "base/subprocess.h"

namespace pacbench {
namespace {

std::string user_folder(const char* own, const char* shared, const char* below_home) {
  // The path is absolute, since a worker may start in another folder than pacbench.
  if (const auto folder = environment_value(own); !folder.empty())
    return std::filesystem::absolute(folder);
  if (const auto folder = environment_value(shared); !folder.empty()) return folder + "/pacbench";
  const auto home = environment_value("HOME");
  if (home.empty()) {
    throw ConfigError{"environment", {{"", fmt::format("HOME is not set; set it or {}", own)}}};
  }
  return home + below_home;
}

}  // namespace

Programs Programs::find() {
  const auto given = environment_value("PACBENCH_PROGRAMS");
  const auto folder =
      given.empty() ? own_folder() : std::filesystem::absolute(given).lexically_normal().string();
  return {folder, folder + "/pacbench-netd", folder + "/pacbench-worker",
          folder + "/pacbench-probe", folder + "/pacbench-simulate"};
}

Catalogue load_catalogue(const Programs& programs) {
  const auto beside = programs.folder + "/catalog.json";
  const auto installed = programs.folder + "/../share/pacbench/catalog.json";
  for (const auto& path : {beside, installed}) {
    if (std::filesystem::exists(path)) return catalogue_from_json(path, read_json_file(path));
  }
  throw ConfigError{
      beside,
      {{"", fmt::format("the catalogue of methods, models and data sets is neither here nor at {}; "
                        "tools/build makes it, and so does "
                        "`pacbench-worker --catalog > catalog.json`",
                        std::filesystem::path{installed}.lexically_normal().string())}}};
}

std::string data_folder() {
  return user_folder("PACBENCH_DATA", "XDG_DATA_HOME", "/.local/share/pacbench");
}

std::string cache_folder() {
  return user_folder("PACBENCH_CACHE", "XDG_CACHE_HOME", "/.cache/pacbench");
}

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
