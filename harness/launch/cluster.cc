#include "harness/launch/cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>

#include "base/check.h"
#include "base/clock.h"
#include "base/host_name.h"
#include "base/start_process.h"
#include "harness/launch/slurm_job.h"
#include "harness/machine/process.h"

namespace pacbench::launch {
namespace {

constexpr int kTickMs = 200;
constexpr double kBetweenStates_s = 3;
// In an allocation that exists already, nodes start at once and must join within this time.
constexpr double kJoin_s = 120;

std::string new_token() {
  std::array<unsigned char, 16> bytes{};
  check("getrandom", ::getrandom(bytes.data(), bytes.size(), 0));
  std::string token;
  for (const auto byte : bytes) token += fmt::format("{:02x}", byte);
  return token;
}

bool is_address(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789.") == std::string::npos;
}

/// All variables of this process, since Slurm's commands and the user's own modules need them.
std::vector<std::string> own_environment() {
  std::vector<std::string> all;
  for (char** entry = ::environ; *entry != nullptr; ++entry) all.emplace_back(*entry);
  return all;
}

}  // namespace

std::string describe(const ClusterOptions& options, NodeGroup group) {
  group.hub = fmt::format("{}:PORT", options.address.empty() ? host_name() : options.address);
  if (options.on == "torchrun") return torchrun_words(group, "TOKEN");
  if (inside_allocation()) return shell_words(srun_words(group)) + '\n';
  return fmt::format("{} <<'END'\n{}END\n", shell_words(sbatch_words(options.sbatch)),
                     batch_script(group));
}

Cluster::Cluster(const ClusterOptions& options, NodeGroup group, const Say& say)
    : group_{std::move(group)},
      token_{new_token()},
      hub_{group_.program, group_.nodes, is_address(options.address) ? options.address : "0.0.0.0",
           token_} {
  group_.hub =
      fmt::format("{}:{}", options.address.empty() ? host_name() : options.address, hub_.port());
  if (options.on == "torchrun") {
    say(torchrun_words(group_, token_));
  } else if (inside_allocation()) {
    start_inside();
  } else {
    submit(options, say);
  }
  wait(say);
}

void Cluster::start_inside() {
  auto words = srun_words(group_);
  words.insert(words.begin(), "/usr/bin/env");  // which looks in PATH
  auto environment = own_environment();
  environment.push_back("PACBENCH_CLUSTER_TOKEN=" + token_);
  srun_output_ = memory_file("srun", 0);
  const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDONLY | O_CLOEXEC))};
  srun_ = start_process(words, environment, {null.get(), srun_output_.get(), srun_output_.get()});
}

/// Passes the token in the environment, which sbatch forwards, since others can read the script.
void Cluster::submit(const ClusterOptions& options, const Say& say) {
  ::setenv("PACBENCH_CLUSTER_TOKEN", token_.c_str(), 1);
  const auto job = SlurmJob::submit(sbatch_words(options.sbatch), batch_script(group_));
  ::unsetenv("PACBENCH_CLUSTER_TOKEN");
  job_ = job.id;
  hub_.run_at_end(job.cancel_command());
  hub_.explain_by(job.last_state_command());
  say(fmt::format("job {} of {} tasks", job.id, group_.nodes));
}

/// Throws ProtocolError when srun has ended: then the missing nodes never come.
void Cluster::check_launcher() const {
  pollfd ended{srun_.pidfd(), POLLIN, 0};
  if (!srun_.running() || ::poll(&ended, 1, 0) <= 0) return;
  throw ProtocolError{"srun has ended before all nodes had joined: " +
                      last_lines(text_in(srun_output_.get()), 5)};
}

void Cluster::wait(const Say& say) {
  const Interrupt interrupt;
  const auto start_ns = monotonic_ns();
  std::int64_t asked_ns = 0;
  std::string last_state;
  std::size_t last_joined = 0;
  for (;;) {
    const auto joined = hub_.joined().size();
    if (joined != last_joined) say(fmt::format("{} of {} nodes have joined", joined, group_.nodes));
    last_joined = joined;
    if (joined == static_cast<std::size_t>(group_.nodes)) return;
    interrupt.throw_if_requested("waiting for nodes");
    check_launcher();
    const auto now_ns = monotonic_ns();
    if (!job_.empty() && seconds(now_ns - asked_ns) > kBetweenStates_s) {
      asked_ns = now_ns;
      const auto state = SlurmJob{job_}.state();
      if (state != last_state) say(fmt::format("job {}: {}", job_, state));
      last_state = state;
      if (is_over(state)) {
        throw ProtocolError{fmt::format(
            "job {} is {} and {} of {} nodes have joined; --sbatch \"--output=FILE\" shows what "
            "they said",
            job_, state.empty() ? "unknown to Slurm" : state, joined, group_.nodes)};
      }
    }
    if (srun_.running() && seconds(now_ns - start_ns) > kJoin_s) {
      throw ProtocolError{fmt::format(
          "only {} of {} nodes have joined within {:g} s; they were told to reach the hub at {}; "
          "srun said: {}",
          joined, group_.nodes, kJoin_s, group_.hub, last_lines(text_in(srun_output_.get()), 3))};
    }
    pollfd poll{interrupt.fd(), POLLIN, 0};
    ::poll(&poll, 1, kTickMs);
  }
}

}  // namespace pacbench::launch
