// Kills the client, the daemon or a process that they have started, at random moments, again and
// again. Looks for anything that is left. Runs in the sandbox of tools/random-kills, as its first
// process.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/subprocess.h"
#include "tests/random_kills/leftovers.h"
#include "tests/random_kills/light_client.h"
#include "tests/random_kills/sandboxed_service.h"

namespace {

using namespace pacbench;
using namespace std::chrono_literals;

constexpr auto kStart = 60s;
// An idle machine makes the fabric and its workers in half of this time, a busy one in all of it.
constexpr int kMostDelayFromStart_ms = 150;
constexpr int kMostDelayAtWork_ms = 60;

using Victims = std::map<std::string, std::vector<pid_t>>;

/// The parent of a process; -1 when the process has ended.
pid_t parent_of(pid_t pid) {
  std::ifstream file{fmt::format("/proc/{}/stat", pid)};
  std::string number, name, state;
  pid_t parent = -1;
  return file >> number >> name >> state >> parent ? parent : -1;
}

Victims find_victims(pid_t client, pid_t service) {
  Victims victims{{"client", {client}}};
  if (service > 0) victims["service"] = {service};
  for (const auto& entry : std::filesystem::directory_iterator{"/proc"}) {
    const int pid = std::atoi(entry.path().filename().c_str());
    std::string name;
    std::ifstream{entry.path() / "comm"} >> name;
    if (pid == 0 || pid == service) continue;
    if (name == kFirstComm) victims["first process"].push_back(pid);
    if (name == kWorkerComm) victims["worker"].push_back(pid);
    if (name != kDaemonComm) continue;
    // A worker has the daemon's name until it executes its program.
    const bool is_daemon = parent_of(pid) == (service > 0 ? service : client);
    victims[is_daemon ? "daemon" : "worker"].push_back(pid);
  }
  return victims;
}

/// Says where the client waits in the kernel, and which daemons, first processes and workers still
/// run. This shows why the client has not ended.
std::string waiting(pid_t client, pid_t service) {
  const auto place = fmt::format("/proc/{}", client);
  std::string function, call;
  std::ifstream{place + "/wchan"} >> function;
  std::ifstream syscall{place + "/syscall"};
  std::getline(syscall, call);
  auto words = fmt::format("the client is in {}, system call {}", function, call);
  for (const auto& [who, pids] : find_victims(client, service)) {
    if (who != "client") words += fmt::format("; {}: {}", who, fmt::join(pids, ", "));
  }
  return words;
}

/// Kills one process after a random time. In every second round this time begins only once all
/// processes are at work.
class RandomKills {
 public:
  RandomKills(bool with_service, std::uint32_t seed) : with_service_{with_service}, random_{seed} {}

  /// Runs one round. Returns what was left behind, or that the client did not end; else nothing.
  std::vector<std::string> round(int number) {
    const pid_t service = with_service_ ? start_service() : 0;
    auto at_work = Pipe::create();
    auto leave = Pipe::create();
    const pid_t client = start_process([&] {
      leave.write.reset();
      run_light_client(with_service_ ? kServiceSocket : "", at_work.write.get(), leave.read.get());
    });
    at_work.write.reset();
    const bool wait = number % 2 == 0;
    if (wait) await(at_work.read.get());
    sleep_up_to(wait ? kMostDelayAtWork_ms : kMostDelayFromStart_ms);
    const auto who = kill_one(find_victims(client, service));
    ++kills_[who][wait ? 1 : 0];
    if (who == "worker") leave.write.reset();  // the client notices any other process's end
    last_ = fmt::format("{} killed {}", who, wait ? "under traffic" : "at any moment");
    if (!await_end(client)) {
      return {"the client waits still after the death of: " + who, waiting(client, service)};
    }
    at_work.read.reset();
    if (with_service_) end_service(service, who == "service");
    return leftovers_in_the_end();
  }

  const std::string& last() const { return last_; }

  /// True when every kind of process has been hit, under traffic too.
  bool hit_everything() const {
    const std::size_t kinds = with_service_ ? 5 : 4;
    return kills_.size() == kinds && std::all_of(kills_.begin(), kills_.end(),
                                                 [](const auto& of) { return of.second[1] > 0; });
  }

  void report() const {
    for (const auto& [who, count] : kills_) {
      fmt::print("{:>13}: {} kills at any moment, {} under traffic\n", who, count[0], count[1]);
    }
  }

 private:
  static void await(int pipe) {
    pollfd readable{pipe, POLLIN, 0};
    char byte = 0;
    const auto wait_ms = static_cast<int>(std::chrono::milliseconds{kStart}.count());
    if (::poll(&readable, 1, wait_ms) != 1 || ::read(pipe, &byte, 1) != 1) {
      throw std::runtime_error{"the client has not come to work"};
    }
  }

  int below(int bound) { return std::uniform_int_distribution{0, bound - 1}(random_); }

  void sleep_up_to(int most_ms) {
    std::this_thread::sleep_for(std::chrono::microseconds{below(most_ms * 1000)});
  }

  std::string kill_one(const Victims& victims) {
    const auto kind = std::next(victims.begin(), below(static_cast<int>(victims.size())));
    const auto& pids = kind->second;
    ::kill(pids[static_cast<std::size_t>(below(static_cast<int>(pids.size())))], SIGKILL);
    return kind->first;
  }

  bool with_service_;
  std::mt19937 random_;
  std::map<std::string, std::array<int, 2>> kills_;
  std::string last_;
};

int run(int rounds, bool with_service, std::uint32_t seed) {
  RandomKills kills{with_service, seed};
  for (int number = 1; number <= rounds; ++number) {
    const auto left = kills.round(number);
    if (left.empty()) continue;
    fmt::print("round {} of seed {}, {}, has left behind:\n", number, seed, kills.last());
    for (const auto& line : left) fmt::print("  {}\n", line);
    return 1;
  }
  kills.report();
  if (!kills.hit_everything()) {
    fmt::print("too few rounds to hit everything\n");
    return 1;
  }
  fmt::print("{} rounds, and nothing was left\n", rounds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4 || ::getpid() != 1) {
    fmt::print(stderr, "run tools/random-kills, which makes the sandbox for this\n");
    return 2;
  }
  try {
    return run(std::atoi(argv[1]), std::string{argv[2]} == "service",
               static_cast<std::uint32_t>(std::atoi(argv[3])));
  } catch (const std::exception& error) {
    fmt::print(stderr, "random-kills: {}\n", error.what());
    return 1;
  }
}
