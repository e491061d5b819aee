#include "harness/cell/program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <sstream>

#include "base/check.h"
#include "base/environment.h"
#include "base/files.h"
#include "contract/catalogue/method_entry.h"
#include "contract/scenario/fabric_request.h"
#include "contract/worker/nccl_environment.h"
#include "harness/cell/moving_network.h"
#include "harness/cell/program_watch.h"
#include "harness/links/fabric.h"
#include "harness/machine/programs.h"

namespace pacbench::cell {
namespace {

namespace fs = std::filesystem;

/// MASTER_PORT of every rank. The port can be fixed: where pacbench makes the links, each rank has
/// a network namespace of its own, in which no other program uses this port. Over measured links of
/// a cluster the port must be free on rank 0's host (docs/CLUSTER.md).
constexpr int kMasterPort = 29500;

/// On other hosts, descriptors of a program after its standard three. Every rank may write events
/// to kEventsFd. Rank 0 reads from kRepliesFd that the counting of bytes has begun. On this host
/// FIFOs do that, since launchers close descriptors, or give their numbers to other files.
constexpr int kEventsFd = 3;
constexpr int kRepliesFd = 4;

/// The program's PYTHONPATH: the folders where `import pacbench` finds the package, then the
/// caller's PYTHONPATH.
std::string python_path() {
  std::string path;
  for (const auto& folder : shipped_folders("python")) path += folder + ':';
  return path + environment_value("PYTHONPATH");
}

/// A rank's place among the ranks that are near to it.
struct LocalPlace {
  int rank = 0;
  int size = 1;
};

/// On a cluster each node has one rank, also where a host has several nodes. Over links between
/// sites, near are those of the same site. Else all ranks are near.
LocalPlace local_place(const LinkProfile& link, int workers, bool spans_hosts, int rank) {
  if (spans_hosts) return {};
  if (link.topology != "groups") return {rank, workers};
  int first = 0;
  for (const int size : link.groups) {
    if (rank < first + size) return {rank - first, size};
    first += size;
  }
  return {rank, workers};
}

std::vector<std::string> environment_for(const Scenario& scenario, const plan::Cell& cell,
                                         const links::Fabric& fabric, int rank,
                                         const std::string& channel) {
  const auto interface = fabric.interface(rank);
  // A program may find its interpreter and libraries by these variables of the caller's shell.
  auto all = inherited_environment({"PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR",
                                    "LD_LIBRARY_PATH", "VIRTUAL_ENV", "CUDA_VISIBLE_DEVICES"});
  const auto set = [&](const char* name, const auto& value) {
    all.push_back(fmt::format("{}={}", name, value));
  };
  set("PYTHONPATH", python_path());
  set("RANK", rank);
  set("WORLD_SIZE", scenario.workers);
  const auto local = local_place(cell.link, scenario.workers, fabric.spans_hosts(), rank);
  set("LOCAL_RANK", local.rank);
  set("LOCAL_WORLD_SIZE", local.size);
  set("MASTER_ADDR", fabric.control_address(0));
  set("MASTER_PORT", kMasterPort);
  set("PACBENCH_ADDRESS", fabric.address(rank));
  set("GLOO_SOCKET_IFNAME", interface);
  set("NCCL_SOCKET_IFNAME", interface);
  // TensorPipe, which carries torch.distributed.rpc. Without it TensorPipe takes the address of the
  // host's name, or else 127.0.0.1, at which ranks do not find each other.
  set("TP_SOCKET_IFNAME", interface);
  set("OMP_NUM_THREADS", 1);
  set("PACBENCH_SEED", cell.seed);
  if (fabric.spans_hosts()) {
    set("PACBENCH_EVENTS_FD", kEventsFd);
    if (rank == 0) set("PACBENCH_REPLIES_FD", kRepliesFd);
  } else {
    set("PACBENCH_EVENTS", channel + ".out");
    if (rank == 0) set("PACBENCH_REPLIES", channel + ".in");
  }
  // On SIGABRT, which a hanging rank is sent, Python prints the stack of each of its threads.
  set("PYTHONFAULTHANDLER", 1);
  set("PYTHONUNBUFFERED", 1);
  // Where all methods are programs, a program chooses its device itself; else it may use the device
  // of pacbench's workers.
  if (!is_program_alone(scenario)) {
    set("PACBENCH_DEVICE", scenario.device);
    set("PACBENCH_BACKEND", scenario.backend);
  }
  if (uses_nccl(scenario)) {
    std::ranges::move(nccl_environment(rank, interface), std::back_inserter(all));
  }
  for (auto& variable : environment_of(cell.method, cell.seed)) {
    set_variable(all, std::move(variable));
  }
  return all;
}

/// Says in the cell's worker.log that ranks could reach each other past the links.
void note_not_apart(CellLog& log, int rank, const std::string& refused) {
  log.worker_log("pacbench",
                 fmt::format("rank {} shares with other ranks of this host what the kernel refused "
                             "to set apart ({}), so ranks can exchange data past their links; to "
                             "rule that out, run pacbench as root or in a container that allows "
                             "these calls\n",
                             rank, refused));
}

/// Whether this user, without capabilities, may use a file in the way of `others` (S_IXOTH).
bool allows(const struct stat& file, mode_t others) {
  if (file.st_uid == ::geteuid()) return (file.st_mode & (others << 6)) != 0;
  const bool in_group = file.st_gid == ::getegid();
  return (file.st_mode & (in_group ? others << 3 : others)) != 0;
}

/// The first folder on the way to `path`, itself included, that keeps this user out; empty where
/// none does.
fs::path closed_folder(const fs::path& path) {
  fs::path way;
  for (const auto& part : path) {
    way /= part;
    struct stat found {};
    if (::stat(way.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) continue;
    // For a user who is not root the kernel decides: it knows access lists and groups.
    const bool may_enter =
        ::geteuid() == 0 ? allows(found, S_IXOTH) : ::access(way.c_str(), X_OK) == 0;
    if (!may_enter) return way;
  }
  return {};
}

/// A path that ends in no separator, so that its last part is the folder's name.
std::string tidy(const std::string& folder) {
  const auto trimmed = folder.find_last_not_of('/');
  return trimmed == std::string::npos ? "/" : folder.substr(0, trimmed + 1);
}

void require_folder(const std::string& source, const std::string& pointer,
                    const std::string& folder) {
  std::error_code unreadable;
  const auto closed = closed_folder(folder);
  if (!closed.empty()) {
    throw ConfigError{
        source,
        {{pointer,
          fmt::format("found {}, in which the program is to run, but {} lets user {} not enter "
                      "(ranks have no special rights, of root neither); expected a folder that "
                      "this user may enter: move it, or allow it with chmod o+x {}",
                      folder, closed.string(), ::geteuid(), closed.string())}}};
  }
  if (fs::is_directory(folder, unreadable)) return;
  throw ConfigError{source,
                    {{pointer, fmt::format("found no folder {}, in which the program is to run; "
                                           "correct \"folder\" beside its \"command\"",
                                           folder)}}};
}

/// The PATH by which a rank of the method finds its program.
std::string search_path(const MethodEntry& method) {
  for (const auto& variable : environment_of(method, 1)) {
    if (variable.starts_with("PATH=")) return variable.substr(5);
  }
  return environment_value("PATH");
}

bool is_program_file(const fs::path& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 && S_ISREG(found.st_mode) &&
         ::access(path.c_str(), X_OK) == 0;
}

bool is_found(const std::string& word, const std::string& folder, const std::string& path) {
  if (word.find('/') != std::string::npos) return is_program_file(fs::path{folder} / word);
  std::istringstream folders{path};
  for (std::string each; std::getline(folders, each, ':');) {
    if (is_program_file(fs::path{each.empty() ? folder : each} / word)) return true;
  }
  return false;
}

}  // namespace

void require_program(const Scenario& scenario) {
  if (!scenario.program) return;
  const auto& program = *scenario.program;
  const std::string block = is_program_alone(scenario) ? "/workload" : "/program";
  require_folder(scenario.name, block + "/folder", tidy(program.folder));
  for (const auto& method : scenario.methods) {
    if (!is_program(method)) continue;
    const auto word = command_line(program, method, 1).front();
    const auto path = search_path(method);
    if (is_found(word, program.folder, path)) continue;
    const bool in_path = word.find('/') == std::string::npos;
    throw ConfigError{
        scenario.name,
        {{block + "/command/0",
          in_path ? fmt::format("found \"{}\", which is no program in PATH ({}); expected the "
                                "program to run, such as python3",
                                word, path)
                  : fmt::format("found \"{}\", which is no program that may be run (from {}); "
                                "expected one, or python3 and the file",
                                word, program.folder)}}};
  }
}

void run_program(const RunContext& context, const plan::Cell& cell, CellLog& log) {
  links::Fabric fabric{context.programs.daemon, fabric_request(context.scenario, cell.link)};
  context.on_created(fabric.created());
  MovingNetwork network{fabric, context, cell.link, log};
  const TemporaryFolder channels{"pacbench-program"};
  ProgramWatch watch{context, fabric, log};
  // env looks the program up in PATH, and reports when it is not found.
  std::vector<std::string> words{"/usr/bin/env", "--chdir=" + context.scenario.program->folder};
  std::ranges::copy(command_line(*context.scenario.program, cell.method, cell.seed),
                    std::back_inserter(words));
  const UniqueFd no_input{check("open /dev/null", ::open("/dev/null", O_RDONLY | O_CLOEXEC))};
  for (int rank = 0; rank < context.scenario.workers; ++rank) {
    const auto path = fmt::format("{}/rank{}", channels.path(), rank);
    auto& program =
        watch.add(fabric.spans_hosts() ? ProcessChannel{"", ProcessChannel::Input::kHeldOpen}
                                       : ProcessChannel::named(path));
    // Standard output and error share one pipe, so that their lines keep their order.
    const auto ends = program.channel.program_ends();
    std::vector<int> fds{no_input.get(), ends[2], ends[2]};
    if (fabric.spans_hosts()) fds.insert(fds.end(), {ends[1], ends[0]});
    netd::SpawnRequest request{rank, words,
                               environment_for(context.scenario, cell, fabric, rank, path)};
    request.apart = true;
    const auto spawned = fabric.spawn(request, fds);
    program.process = spawned.process;
    if (!spawned.not_apart.empty()) note_not_apart(log, rank, spawned.not_apart);
    program.channel.started();
  }
  network.begin();
  watch.run([&] { network.turn(); });
  log.add(record::CellRecord::counters_event(fabric.counters()));
}

}  // namespace pacbench::cell
