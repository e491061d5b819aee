#include "harness/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/subprocess.h"
#include "harness/datasets.h"
#include "harness/environment.h"
#include "harness/fabric.h"
#include "harness/process_table.h"

namespace pacbench {
namespace {

namespace fs = std::filesystem;

Finding tool(const std::string& name) {
  Finding finding{name, false, true, "not found on PATH", "apt-get install iproute2"};
  try {
    const auto output = run_command({name, "-Version"});
    finding.ok = output.status.ok();
    finding.found = output.out.substr(0, output.out.find('\n'));
  } catch (const std::system_error& error) {
    finding.found = error.what();
  }
  return finding;
}

/// A Debian user's PATH lacks the folders of ip and tc; the daemon looks there too.
void look_in_system_folders_too() {
  const char* path = std::getenv("PATH");
  ::setenv("PATH", fmt::format("{}:/usr/sbin:/sbin", path == nullptr ? "" : path).c_str(), 1);
}

/// Whether an unprivileged process could make namespaces, which is how to do without root.
Finding user_namespaces() {
  const auto output = run_command({"unshare", "--user", "--map-root-user", "--net", "true"});
  Finding finding{"user namespaces", output.status.ok(), false, "a process may make its own", ""};
  if (!finding.ok) {
    finding.found = output.err.substr(0, output.err.find('\n'));
    finding.remedy =
        "only needed without root; sysctl kernel.unprivileged_userns_clone=1 or "
        "user.max_user_namespaces=1000 as root";
  }
  return finding;
}

/// Makes two shaped links and takes them down again: namespaces, HTB and bfifo in one go.
void try_links(const Programs& programs, std::vector<Finding>& findings) {
  Finding links{"shaped links (namespaces, veth, HTB, bfifo)", false, true, "", ""};
  Finding real_time{"real-time class for communication threads", false, false,
                    "not allowed: compute can delay communication",
                    "run as root, or set rtprio in /etc/security/limits.conf"};
  try {
    const Fabric fabric{programs.daemon, netd::star(2, 100)};
    links.ok = true;
    links.found = fmt::format("made and read back, as {}", fabric.created().privilege);
    real_time.ok = fabric.created().real_time_allowed;
    if (real_time.ok) real_time.found = "allowed";
  } catch (const std::exception& error) {
    links.found = error.what();
    links.remedy = "run as root, or allow user namespaces; kernel modules sch_htb, veth, bridge";
  }
  findings.push_back(std::move(links));
  findings.push_back(std::move(real_time));
}

Finding netem() {
  // A new namespace of its own, gone with the command.
  const auto output = run_command({"unshare", "--user", "--map-root-user", "--net", "tc", "qdisc",
                                   "add", "dev", "lo", "root", "netem", "delay", "1ms"});
  return {"netem (delay, loss)", output.status.ok(), false,
          output.status.ok() ? "available" : output.err.substr(0, output.err.find('\n')),
          "needed only for delay and loss; a kernel with CONFIG_NET_SCH_NETEM"};
}

Finding program(const std::string& what, const std::string& path) {
  const bool ok = ::access(path.c_str(), X_OK) == 0;
  return {what, ok, true, ok ? path : path + " is not there", "build it: tools/build"};
}

Finding gpu() {
  const bool device = fs::exists("/dev/nvidia0");
  return {"GPU", device, false, device ? "/dev/nvidia0" : "none found (workers run on the CPU)",
          ""};
}

void look_at_data(const Programs& programs, std::vector<Finding>& findings) {
  Finding finding{"catalogue", false, true, "", "build it with pacbench-worker: tools/build"};
  try {
    const auto catalogue = load_catalogue(programs);
    finding.ok = true;
    finding.found = fmt::format("{} methods, {} models, torch {}", catalogue.methods.size(),
                                catalogue.models.size(), catalogue.torch_version);
    findings.push_back(finding);
    for (const auto& dataset : catalogue.datasets) {
      Finding data{"data set " + dataset.name, true, false,
                   dataset.files.empty() ? "embedded" : "imported", ""};
      try {
        require_dataset(dataset, data_folder());
      } catch (const ConfigError& error) {
        data.ok = false;
        data.found = error.what();
      }
      findings.push_back(data);
    }
  } catch (const std::exception& error) {
    finding.found = error.what();
    findings.push_back(finding);
  }
}

Finding machine() {
  const auto environment = Environment::read();
  constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
  return {"machine", true, false,
          fmt::format("{}, {}, {} cores, {:.1f} GiB", environment.kernel, environment.cpu,
                      environment.cores, static_cast<double>(environment.memory_bytes) / kGiB),
          ""};
}

Finding congestion_controls() {
  const auto names = Environment::read().congestion_controls;
  const bool ok = std::find(names.begin(), names.end(), "cubic") != names.end();
  return {"congestion control", ok, false, fmt::format("{}", fmt::join(names, ", ")),
          "modprobe tcp_cubic"};
}

/// Links and workers end with their daemon, and the daemon with pacbench: only what still runs
/// can be there.
Finding running() {
  std::vector<std::string> others;
  for (const auto& entry : read_process_table()) {
    const bool ours = entry.name == "pacbench" || entry.name == "pacbench-netd" ||
                      entry.name == "pacbench-worker";
    if (ours && entry.pid != ::getpid()) {
      others.push_back(fmt::format("{} ({})", entry.name, entry.pid));
    }
  }
  return {"left behind", others.empty(), false,
          others.empty() ? "nothing" : fmt::format("running: {}", fmt::join(others, ", ")),
          "another run, perhaps; end its pacbench and the rest follows"};
}

}  // namespace

std::vector<Finding> examine_machine(const Programs& programs) {
  look_in_system_folders_too();
  std::vector<Finding> findings{machine(), tool("ip"), tool("tc")};
  findings.push_back({"root", ::geteuid() == 0, false,
                      ::geteuid() == 0 ? "yes" : "no: links are made in a user namespace", ""});
  findings.push_back(user_namespaces());
  findings.push_back(program("pacbench-netd", programs.daemon));
  findings.push_back(program("pacbench-worker", programs.worker));
  try_links(programs, findings);
  findings.push_back(netem());
  findings.push_back(congestion_controls());
  findings.push_back(gpu());
  look_at_data(programs, findings);
  findings.push_back(running());
  return findings;
}

}  // namespace pacbench
