#include "netem/kernel/iproute2.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>

#include "base/errors.h"
#include "base/subprocess.h"

namespace pacbench::netem {
namespace {

// ip and tc end their message about a failed batch with these words and the number of the line.
constexpr std::string_view kMark = "Command failed -:";

std::string failed_line(const Batch& batch, const std::string& words) {
  const auto at = words.rfind(kMark);
  if (at == std::string::npos) return batch.program;
  const auto number = std::strtoul(words.c_str() + at + kMark.size(), nullptr, 10);
  if (number == 0 || number > batch.lines.size()) return batch.program;
  return batch.program + " " + batch.lines[number - 1];
}

/// The reason that the program itself gives for its failure, on one line.
std::string reason(const std::string& words) {
  auto text = words.substr(0, words.rfind(kMark));
  text.erase(text.find_last_not_of(".\n") + 1);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

Output run_program(const Batch& batch) {
  const auto input = fmt::format("{}\n", fmt::join(batch.lines, "\n"));
  // An ordinary user's PATH leaves out the folders of system programs.
  for (const char* folder : {"", "/usr/sbin/", "/sbin/"}) {
    try {
      return run_command({folder + batch.program, "-batch", "-"}, input);
    } catch (const std::system_error& error) {
      if (error.code().value() != ENOENT) throw;
    }
  }
  throw std::runtime_error{fmt::format(
      "the program `{}` is neither on PATH nor in /usr/sbin; links are shaped with it. Install the "
      "Debian package iproute2 (apt-get install iproute2), which holds both ip and tc",
      batch.program)};
}

}  // namespace

void run_batch(const Batch& batch, const std::string& where) {
  const auto output = run_program(batch);
  if (output.status.ok()) return;
  throw CommandFailed{fmt::format("`{}` in {} ended with {}: {}", failed_line(batch, output.err),
                                  where, output.status.describe(), reason(output.err))};
}

}  // namespace pacbench::netem
