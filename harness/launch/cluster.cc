#include "harness/launch/cluster.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/random.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "base/check.h"
#include "base/clock.h"
#include "base/host.h"
#include "base/readable.h"
#include "harness/machine/process.h"

namespace pacbench::launch {
namespace {

constexpr int kTickMs = 200;
constexpr double kBetweenStates_s = 3;
constexpr double kStart_s = 20;
constexpr int kStartTickMs = 50;
constexpr int kEndMs = 12'000;  // the hub gives its command for the end 10 s

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

std::vector<std::string> environment_with(const std::string& token) {
  auto environment = minimal_environment();
  // The commands that the hub runs for us may need Slurm's own variables, too.
  std::ranges::copy_if(own_environment(), std::back_inserter(environment),
                       [](const auto& variable) { return variable.starts_with("SLURM_"); });
  environment.push_back("PACBENCH_CLUSTER_TOKEN=" + token);
  return environment;
}

std::vector<std::string> hub_words(const NodeGroup& group, const std::string& socket,
                                   const std::string& bind) {
  std::vector<std::string> words{group.program, "hub",     "--socket",
                                 socket,        "--nodes", std::to_string(group.nodes),
                                 "--bind",      bind};
  if (group.share_hosts) words.emplace_back("--share-hosts");
  return words;
}

std::string node_words(const Json& event) {
  return fmt::format("node {} (rank {})", event.at("host").get<std::string>(),
                     event.at("rank").get<int>());
}

}  // namespace

HubProcess::HubProcess(const NodeGroup& group, const std::string& bind, const std::string& token)
    : folder_{"pacbench-cluster"},
      socket_{folder_.path() + "/hub.sock"},
      channel_{"", ProcessChannel::Input::kHeldOpen},
      process_{start_process(hub_words(group, socket_, bind), environment_with(token),
                             channel_.program_ends())} {
  channel_.started();
  const auto until_ns = monotonic_ns() + static_cast<std::int64_t>(kStart_s * 1e9);
  while (port_ == 0 && monotonic_ns() < until_ns) {
    std::vector<pollfd> polls;
    channel_.add_to(polls);
    ::poll(polls.data(), polls.size(), kStartTickMs);
    listen();
  }
  if (port_ == 0) {
    throw ProtocolError{
        fmt::format("`{} hub` has not reported its port within {:g} s", group.program, kStart_s)};
  }
}

HubProcess::~HubProcess() {
  channel_.end_input();
  pollfd ended{process_.pidfd(), POLLIN, 0};
  ::poll(&ended, 1, kEndMs);
}

const std::set<int>& HubProcess::joined() {
  listen();
  return joined_;
}

void HubProcess::set_command(const char* key, const std::vector<std::string>& words) {
  channel_.say(Json{{key, words}}.dump() + '\n');
}

void HubProcess::listen() {
  for (const auto& line : channel_.exchange()) {
    const auto event = parse_json("pacbench-cluster hub", line);
    const auto kind = event.at("event").get<std::string>();
    if (kind == "listening") port_ = event.at("port");
    if (kind == "joined") joined_.insert(event.at("rank").get<int>());
    const auto reason = [&] { return event.at("reason").get<std::string>(); };
    if (kind == "refused") refusals_.push_back(node_words(event) + " was refused: " + reason());
    if (kind == "lost") throw ProtocolError{node_words(event) + ' ' + reason()};
  }
  errors_ += channel_.take_errors();
  if (channel_.closed()) {
    throw ProtocolError{"pacbench-cluster hub has ended: " + last_lines(errors_, 3)};
  }
}

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
      hub_{group_, is_address(options.address) ? options.address : "0.0.0.0", token_},
      join_s_{options.join_s} {
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
  started_ns_ = monotonic_ns();
}

/// Submits the job. The token is in the environment, which sbatch forwards, since others can read
/// the script.
void Cluster::submit(const ClusterOptions& options, const Say& say) {
  ::setenv("PACBENCH_CLUSTER_TOKEN", token_.c_str(), 1);
  const auto job = SlurmJob::submit(sbatch_words(options.sbatch), batch_script(group_));
  ::unsetenv("PACBENCH_CLUSTER_TOKEN");
  job_ = job;
  hub_.set_command("at_end", job.cancel_command());
  hub_.set_command("explain", job.last_state_command());
  say(fmt::format("submitted Slurm job {} with {} tasks", job.id, group_.nodes));
}

/// Throws ProtocolError when srun has ended: then the missing nodes never come.
void Cluster::check_launcher() const {
  if (!srun_.running() || !readable(srun_.pidfd(), 0)) return;
  throw ProtocolError{"srun has ended before all nodes had joined: " +
                      last_lines(text_in(srun_output_.get()), 5)};
}

/// Says a new state of the job. Throws ProtocolError when the job has ended.
void Cluster::follow_job(const Say& say) {
  const auto now_ns = monotonic_ns();
  if (!job_ || seconds(now_ns - asked_ns_) < kBetweenStates_s) return;
  asked_ns_ = now_ns;
  const auto state = job_->state();
  if (state == job_state_) return;
  job_state_ = state;
  say(fmt::format("Slurm job {}: {}", job_->id, state));
  if (!is_running(state)) {
    started_ns_.reset();
  } else if (!started_ns_) {
    started_ns_ = now_ns;
  }
  if (!is_over(state)) return;
  throw ProtocolError{fmt::format(
      "Slurm job {} is {}, and {} joined; --sbatch \"--output=FILE\" shows what the nodes said",
      job_->id, state.empty() ? "unknown to Slurm" : state, missing())};
}

/// Which ranks have not joined, in words.
std::string Cluster::missing() const {
  std::vector<int> ranks;
  for (int rank = 0; rank < group_.nodes; ++rank) {
    if (!joined_.contains(rank)) ranks.push_back(rank);
  }
  const bool one = ranks.size() == 1;
  return fmt::format("{} of {} nodes ({} {}) {} not", ranks.size(), group_.nodes,
                     one ? "rank" : "ranks", fmt::join(ranks, ", "), one ? "has" : "have");
}

/// Throws ProtocolError when nodes have run for too long without joining.
void Cluster::check_time() const {
  if (!started_ns_ || seconds(monotonic_ns() - *started_ns_) <= join_s_) return;
  const auto said = !job_ ? "srun said: " + last_lines(text_in(srun_output_.get()), 3)
                          : std::string{"--sbatch \"--output=FILE\" shows what they said"};
  throw ProtocolError{
      fmt::format("{} joined within {} s (--join-s); nodes were told to reach the hub at {}; {}",
                  missing(), join_s_, group_.hub, said)};
}

void Cluster::wait(const Say& say) {
  const Interrupt interrupt;
  for (;;) {
    const auto& joined = hub_.joined();
    for (const auto& refusal : hub_.take_refusals()) say(refusal);
    if (joined != joined_) {
      joined_ = joined;
      say(fmt::format("{} of {} nodes have joined", joined_.size(), group_.nodes));
    }
    if (std::ssize(joined_) == group_.nodes) return;
    interrupt.throw_if_requested("wait for nodes");
    check_launcher();
    follow_job(say);
    check_time();
    pollfd poll{interrupt.fd(), POLLIN, 0};
    ::poll(&poll, 1, kTickMs);
  }
}

}  // namespace pacbench::launch
