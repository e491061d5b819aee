#include "harness/store/tries.h"

#include <fmt/format.h>

#include <filesystem>

#include "base/files.h"
#include "harness/store/files.h"

namespace pacbench::store {
namespace {

namespace fs = std::filesystem;

std::string folder_of_try(const std::string& run_folder, const std::string& cell_name,
                          std::size_t number) {
  return fmt::format("{}/tries/{}.{}", run_folder, cell_name, number);
}

void move(const std::string& run_folder, const std::string& from, const std::string& to) {
  fs::rename(from, to);
  for (const char* name : {"/cells", "/tries"}) sync_path(run_folder + name);
}

}  // namespace

std::vector<std::string> earlier_tries(const std::string& run_folder,
                                       const std::string& cell_name) {
  std::vector<std::string> tries;
  while (true) {
    auto folder = folder_of_try(run_folder, cell_name, tries.size() + 1);
    if (!fs::exists(folder)) return tries;
    tries.push_back(std::move(folder));
  }
}

void set_aside(const std::string& run_folder, const std::string& cell_name) {
  const auto number = earlier_tries(run_folder, cell_name).size() + 1;
  fs::create_directories(run_folder + "/tries");
  move(run_folder, cell_folder_of(run_folder, cell_name),
       folder_of_try(run_folder, cell_name, number));
}

void bring_back(const std::string& run_folder, const std::string& cell_name,
                const std::string& earlier_try) {
  const auto own = cell_folder_of(run_folder, cell_name);
  const auto aside = own + ".aside";
  move(run_folder, own, aside);
  move(run_folder, earlier_try, own);
  move(run_folder, aside, earlier_try);
}

}  // namespace pacbench::store
