#include <sys/ioctl.h>
#include <unistd.h>

#include "analysis/report/report.h"
#include "cli/command.h"

namespace pacbench::cli {

std::size_t report_columns() {
  winsize size{};
  const bool is_terminal = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return is_terminal ? size.ws_col : report::kReportWidth;
}

}  // namespace pacbench::cli
