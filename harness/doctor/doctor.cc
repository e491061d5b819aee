#include "harness/doctor/doctor.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "base/subprocess.h"
#include "contract/fabric/features.h"
#include "harness/calibration/result.h"
#include "harness/data/datasets.h"
#include "harness/links/fabric.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/devices.h"
#include "harness/machine/environment.h"
#include "harness/machine/process.h"
#include "harness/probes/features.h"

namespace pacbench::doctor {
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

/// Adds the folders of ip and tc to PATH, since a Debian user's PATH lacks them. The daemon looks
/// there too.
void look_in_system_folders_too() {
  const char* path = std::getenv("PATH");
  ::setenv("PATH", fmt::format("{}:/usr/sbin:/sbin", path == nullptr ? "" : path).c_str(), 1);
}

/// Whether a process can make a user namespace and a network namespace in it. Without root, a
/// private daemon makes its links there.
Finding user_namespaces() {
  const auto output = run_command({"unshare", "--user", "--map-root-user", "--net", "true"});
  const bool ok = output.status.ok();
  return {
      "user namespaces", ok, false,
      ok ? "a process may make its own" : output.err.substr(0, output.err.find('\n')),
      "needed only with neither root nor a shared daemon; to allow them, as root: sysctl "
      "kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=1000, and on Ubuntu since "
      "23.10 also kernel.apparmor_restrict_unprivileged_userns=0"};
}

Finding real_time(bool allowed) {
  return {"real-time class for communication threads",
          allowed,
          false,
          allowed ? "allowed" : "not allowed: compute can delay communication",
          "run as root, or set rtprio in /etc/security/limits.conf",
          "steps take longer, since each collective waits longer for a CPU: see "
          "scheduling_floor_ms of a cell"};
}

/// Makes two shaped links and takes them down again. Adds a finding whether that worked, and if so
/// another one whether workers may use the real-time class: without links the daemon does not say.
void try_links(const Programs& programs, std::vector<Finding>& findings) {
  Finding links{
      "shaped links (namespaces, veth, HTB, bfifo)", false, true, "",
      "run as root, or allow user namespaces; the kernel modules sch_htb, veth and bridge "
      "are needed"};
  try {
    const links::Fabric fabric{programs.daemon, netd::star(2, 100)};
    links.ok = true;
    links.found = fmt::format("made and read back, as {}", fabric.created().privilege);
    findings.push_back(std::move(links));
    findings.push_back(real_time(fabric.created().real_time_allowed));
  } catch (const std::exception& error) {
    links.found = error.what();
    findings.push_back(std::move(links));
  }
}

/// Whether the kernel records how long tasks wait for a CPU, which shows why a host is cpu-bound.
Finding pressure() {
  const bool ok = fs::exists("/proc/pressure/cpu");
  return {"pressure stall information (PSI)",
          ok,
          false,
          ok ? "/proc/pressure/cpu" : "/proc/pressure/cpu is not there",
          "boot with psi=1, or a kernel with CONFIG_PSI",
          "results lack cpu_pressure, which explains why a host is cpu-bound"};
}

Finding calibration() {
  const auto path = calibration::saved_path(Environment::read());
  const bool ok = fs::exists(path);
  return {"calibration of this machine",
          ok,
          false,
          ok ? path : "none",
          "run pacbench calibrate",
          "probes are compared with arithmetic, not with what this machine was measured to reach"};
}

Finding program(const std::string& what, const std::string& path) {
  // A shared daemon is named by its socket, which is written to and never executed.
  std::error_code unreadable;
  const int way = fs::is_socket(path, unreadable) ? W_OK : X_OK;
  const bool ok = ::access(path.c_str(), way) == 0;
  if (way == W_OK) {
    return {what, ok, true, ok ? path : path + " may not be written to by this user",
            "ask the administrator to add you to the daemon's group (default: pacbench)"};
  }
  return {what, ok, true, ok ? path : path + " is missing or not executable",
          "build it: tools/build"};
}

void look_at_devices(const Programs& programs, std::vector<Finding>& findings) {
  Finding gpus{"GPUs", false, false, "", "", "scenarios with \"device\": \"cuda\" are refused"};
  Finding nccl{"NCCL", false, false, "", "", "scenarios with \"backend\": \"nccl\" are refused"};
  try {
    const auto devices = ask_devices(programs.worker);
    gpus.ok = !devices.gpus.empty();
    gpus.found = gpus.ok ? fmt::format("{}", fmt::join(devices.gpus, ", ")) : devices.no_gpus;
    nccl.ok = !devices.nccl_version.empty();
    nccl.found = nccl.ok ? devices.nccl_version : devices.no_nccl;
  } catch (const std::exception& error) {
    gpus.found = nccl.found = error.what();
  }
  findings.insert(findings.end(), {gpus, nccl});
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
        data::require_dataset(dataset, data_folder());
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

Finding cpus() {
  const auto allowance = CpuAllowance::read();
  const auto limits = words_of_limits(allowance);
  const bool ok = limits.empty();
  return {"all CPUs of this machine",
          ok,
          false,
          ok ? fmt::format("a run may use all {}", allowance.machine_cpus)
             : fmt::format("a run may use {}; its CPUs: {}", limits, cpu_list(allowance.cpus)),
          "start pacbench without taskset, or in a cpuset or cgroup that is allowed more",
          "steps that compute take longer, and cells are cpu-bound sooner"};
}

/// Finds other runs of pacbench. The links and workers of a run end with its connection to the
/// daemon, and the connection with pacbench, so that only running processes need to be looked for.
Finding running() {
  std::vector<std::string> others;
  for (const auto& entry : read_process_table()) {
    // A daemon alone is a waiting service: it takes no CPU time from a run, so it is left out.
    const bool ours = entry.name == "pacbench" || entry.name == "pacbench-worker" ||
                      entry.name == "pacbench-probe";
    if (ours && entry.pid != ::getpid()) {
      others.push_back(fmt::format("{} ({})", entry.name, entry.pid));
    }
  }
  const bool alone = others.empty();
  return {"alone on this machine",
          alone,
          false,
          alone ? "no other pacbench runs" : fmt::format("running: {}", fmt::join(others, ", ")),
          "let the other run end, or end its pacbench: its other processes then end too",
          "runs take the CPU from each other, and links become suspect"};
}

/// Joins the lines of a program's message into one.
std::string on_one_line(const std::string& text) {
  std::istringstream lines{text};
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) result += (result.empty() ? "" : "; ") + line;
  }
  return result;
}

namespace feature = netd::feature;

constexpr std::array kOfEveryLink{feature::kNamespaces, feature::kVeth, feature::kBridge,
                                  feature::kHtb, feature::kBfifo};
constexpr std::array kOfFarLinks{feature::kIfb, feature::kMirred, feature::kNetem};

bool is_of_every_link(const std::string& name) {
  return std::ranges::count(kOfEveryLink, name) > 0;
}

std::string without(const std::string& name) {
  if (is_of_every_link(name))
    return "no links can be made, so only modes learn and simulate work, which measure no times";
  if (std::ranges::count(kOfFarLinks, name) > 0) {
    return "scenarios with delay, jitter, loss or reordering are refused";
  }
  if (name == feature::kSteering) {
    return "packets of a flow may overtake each other; TCP then sends segments again needlessly, "
           "and the cell's verdict on the links says so";
  }
  if (name == "cubic") {
    return "the default congestion control is missing: each scenario has to name another one, and "
           "its results cannot be compared with results of cubic";
  }
  return "scenarios with this congestion control are refused";
}

}  // namespace

std::vector<Finding> examine_machine(const Programs& programs) {
  look_in_system_folders_too();
  std::vector<Finding> findings{machine(), cpus(), tool("ip"), tool("tc")};
  findings.push_back({"root", ::geteuid() == 0, false,
                      ::geteuid() == 0 ? "yes"
                                       : "no: without a shared daemon, links are made in a user "
                                         "namespace",
                      ""});
  findings.push_back(user_namespaces());
  findings.push_back(program("pacbench-netd", programs.daemon));
  findings.push_back(program("pacbench-worker", programs.worker));
  findings.push_back(program("pacbench-probe", programs.probe));
  try_links(programs, findings);
  for (auto& finding : feature_findings(programs.daemon)) findings.push_back(std::move(finding));
  findings.push_back(pressure());
  findings.push_back(calibration());
  look_at_devices(programs, findings);
  look_at_data(programs, findings);
  findings.push_back(running());
  return findings;
}

bool is_usable(const std::vector<Finding>& findings) {
  return std::ranges::none_of(findings, [](const auto& each) { return each.needed && !each.ok; });
}

std::string render_text(const std::vector<Finding>& findings) {
  std::string text;
  for (const auto& finding : findings) {
    text += fmt::format("{:4} {}: {}\n",
                        finding.ok       ? "yes"
                        : finding.needed ? "NO"
                                         : "no",
                        finding.what, on_one_line(finding.found));
    if (finding.ok) continue;
    if (!finding.remedy.empty()) text += fmt::format("{:5}cure: {}\n", "", finding.remedy);
    if (!finding.without.empty()) text += fmt::format("{:5}without it: {}\n", "", finding.without);
  }
  return text;
}

Json to_json(const std::vector<Finding>& findings) {
  Json list = Json::array();
  for (const auto& finding : findings) {
    list.push_back({{"what", finding.what},
                    {"ok", finding.ok},
                    {"needed", finding.needed},
                    {"found", finding.found},
                    {"cure", finding.ok ? "" : finding.remedy},
                    {"without", finding.ok ? "" : finding.without}});
  }
  return {{"format", "pacbench.doctor/1"}, {"usable", is_usable(findings)}, {"findings", list}};
}

std::vector<Finding> findings_of(const std::vector<netd::Feature>& features) {
  std::vector<Finding> findings;
  for (const auto& one : features) {
    findings.push_back({one.name, one.ok, is_of_every_link(one.name),
                        one.ok ? "tried, and works" : one.reason, netd::cure(one.name),
                        without(one.name)});
  }
  return findings;
}

std::vector<Finding> feature_findings(const std::string& daemon) {
  try {
    return findings_of(probes::ask_features(daemon));
  } catch (const std::exception& error) {
    return {{"kernel features for links", false, true, error.what(),
             netd::cure(feature::kNamespaces), without(feature::kNamespaces)}};
  }
}

}  // namespace pacbench::doctor
