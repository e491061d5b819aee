#include "tests/end_to_end/driver.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/check.h"
#include "base/subprocess.h"
#include "base/text_file.h"
#include "harness/machine/process.h"

namespace pacbench {
namespace {

UniqueFd create(const std::string& path) {
  return UniqueFd{check("create", ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600))};
}

std::vector<std::string> whole_environment() {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) result.emplace_back(*entry);
  return result;
}

}  // namespace

PacbenchProcess::PacbenchProcess(const std::string& program,
                                 const std::vector<std::string>& arguments,
                                 std::vector<std::string> prefix) {
  // env looks the first word up on PATH.
  std::vector<std::string> argv{"/usr/bin/env"};
  argv.insert(argv.end(), prefix.begin(), prefix.end());
  argv.push_back(program);
  argv.insert(argv.end(), arguments.begin(), arguments.end());
  const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDONLY | O_CLOEXEC))};
  const auto out = create(folder_.path() + "/out");
  const auto err = create(folder_.path() + "/err");
  child_ = start_process(argv, whole_environment(), {null.get(), out.get(), err.get()});
}

std::vector<int> PacbenchProcess::descendants(const std::string& name) const {
  std::map<int, ProcessEntry> table;
  for (auto& entry : read_process_table()) table[entry.pid] = std::move(entry);
  std::vector<int> result;
  for (const auto& [pid, entry] : table) {
    int ancestor = entry.parent;
    while (ancestor > 1 && ancestor != child_.pid() && table.contains(ancestor)) {
      ancestor = table.at(ancestor).parent;
    }
    if (entry.name == name && ancestor == child_.pid()) result.push_back(pid);
  }
  return result;
}

Output PacbenchProcess::finish() {
  const auto status = child_.wait();
  return {status, read_file(folder_.path() + "/out"), read_file(folder_.path() + "/err")};
}

bool all_gone(const std::vector<int>& pids) {
  const auto table = read_process_table();
  return std::none_of(table.begin(), table.end(), [&](const auto& entry) {
    // A zombie holds nothing. It stays until a parent reaps it, and a container may have no process
    // that does.
    return entry.state != 'Z' && std::find(pids.begin(), pids.end(), entry.pid) != pids.end();
  });
}

std::size_t lines_in(const std::string& path) {
  if (!text_exists(path)) return 0;
  TextReader text{path};
  std::ptrdiff_t lines = 0;
  for (auto part = text.read(); !part.empty(); part = text.read()) {
    lines += std::count(part.begin(), part.end(), '\n');
  }
  return static_cast<std::size_t>(lines);
}

std::vector<Json> evaluations_of(const std::string& cell_folder) {
  std::vector<Json> evaluations;
  std::istringstream lines{read_file(cell_folder + "/curve.jsonl")};
  for (std::string line; std::getline(lines, line);) evaluations.push_back(Json::parse(line));
  return evaluations;
}

}  // namespace pacbench
