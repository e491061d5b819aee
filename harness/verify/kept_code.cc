#include "harness/verify/curves.h"

#include <algorithm>
#include <filesystem>

#include "base/errors.h"

namespace pacbench::verify {
namespace {

namespace fs = std::filesystem;

using Texts = std::map<std::string, std::string>;

bool holds(const fs::path& folder, const Texts& texts) {
  return std::all_of(texts.begin(), texts.end(), [&](const auto& text) {
    const auto path = folder / text.first;
    return fs::is_regular_file(path) && read_file(path) == text.second;
  });
}

void write_below(const fs::path& folder, const std::string& name, const std::string& text) {
  const auto path = fs::path{name}.lexically_normal();
  if (path.is_absolute() || path.string().starts_with("..")) {
    throw ConfigError{name, "",
                      "this Python file lay outside its scenario's folder, so it is only run again "
                      "where it came from, with the text that the run kept"};
  }
  fs::create_directories((folder / path).parent_path());
  write_file_atomically(folder / path, text);
}

}  // namespace

KeptCode::KeptCode(const store::RecordedRun& run) : folder_{run.scenario.python_folder} {
  const auto texts = run.manifest.python.value("files", Texts{});
  if (texts.empty()) {
    throw ConfigError{run.path("manifest.json"), "/python/files",
                      "missing, so that there is no Python to run: an earlier "
                      "pacbench recorded the run"};
  }
  if (holds(folder_, texts)) return;
  temporary_.emplace("pacbench-code");
  for (const auto& [name, text] : texts) write_below(temporary_->path(), name, text);
  folder_ = temporary_->path() + "/";
}

}  // namespace pacbench::verify
