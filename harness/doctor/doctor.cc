#include "harness/doctor/doctor.h"

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
#include "harness/calibration/saved.h"
#include "harness/data/datasets.h"
#include "harness/doctor/features.h"
#include "harness/links/fabric.h"
#include "harness/machine/cpu_allowance.h"
#include "harness/machine/devices.h"
#include "harness/machine/environment.h"
#include "harness/machine/process_table.h"

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
  Finding finding{"user namespaces", output.status.ok(), false, "a process may make its own", ""};
  if (!finding.ok) {
    finding.found = output.err.substr(0, output.err.find('\n'));
    finding.remedy =
        "needed only with neither root nor a shared daemon; to allow them, as root: sysctl "
        "kernel.unprivileged_userns_clone=1 or user.max_user_namespaces=1000, and on Ubuntu since "
        "23.10 also kernel.apparmor_restrict_unprivileged_userns=0";
  }
  return finding;
}

Finding real_time(bool allowed) {
  return {"real-time class for communication threads",
          allowed,
          false,
          allowed ? "allowed" : "not allowed: compute can delay communication",
          allowed ? "" : "run as root, or set rtprio in /etc/security/limits.conf",
          allowed ? ""
                  : "steps take longer, since each collective waits longer for a CPU: see "
                    "scheduling_floor_ms of a cell"};
}

/// Makes two shaped links and takes them down again. Adds a finding whether that worked, and if so
/// another one whether workers may use the real-time class: without links the daemon does not say.
void try_links(const Programs& programs, std::vector<Finding>& findings) {
  Finding links{"shaped links (namespaces, veth, HTB, bfifo)", false, true, "", ""};
  try {
    const links::Fabric fabric{programs.daemon, netd::star(2, 100)};
    links.ok = true;
    links.found = fmt::format("made and read back, as {}", fabric.created().privilege);
    findings.push_back(std::move(links));
    findings.push_back(real_time(fabric.created().real_time_allowed));
  } catch (const std::exception& error) {
    links.found = error.what();
    links.remedy =
        "run as root, or allow user namespaces; the kernel modules sch_htb, veth and bridge are "
        "needed";
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
          ok ? "" : "boot with psi=1, or a kernel with CONFIG_PSI",
          ok ? "" : "results lack cpu_pressure, which explains why a host is cpu-bound"};
}

Finding calibration() {
  const auto path = calibration::saved_path(Environment::read());
  const bool ok = fs::exists(path);
  return {
      "calibration of this machine",
      ok,
      false,
      ok ? path : "none",
      ok ? "" : "run pacbench calibrate",
      ok ? ""
         : "probes are compared with arithmetic, not with what this machine was measured to reach"};
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
  for (auto* finding : {&gpus, &nccl}) {
    if (finding->ok) finding->without.clear();
    findings.push_back(std::move(*finding));
  }
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

/// Whether a run may use all of the machine's CPUs.
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
          ok ? "" : "steps that compute take longer, and cells are cpu-bound sooner"};
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
  return {
      "alone on this machine",
      alone,
      false,
      alone ? "no other pacbench runs" : fmt::format("running: {}", fmt::join(others, ", ")),
      alone ? "" : "let the other run end, or end its pacbench: its other processes then end too",
      alone ? "" : "runs take the CPU from each other, and links become suspect"};
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

}  // namespace pacbench::doctor
