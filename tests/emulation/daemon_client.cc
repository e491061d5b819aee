#include "tests/emulation/daemon_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <stdexcept>

#include "base/check.h"

namespace pacbench {
namespace {

ChildProcess start_daemon(std::vector<std::string> argv, const UniqueFd& end) {
  argv.insert(argv.end(), {"--fd", std::to_string(end.get())});
  const auto pid = check("fork", ::fork());
  if (pid > 0) return ChildProcess{pid};
  ::fcntl(end.get(), F_SETFD, 0);
  const auto words = exec_words(argv);
  ::execvp(words.front(), words.data());
  ::_exit(127);
}

}  // namespace

DaemonClient::DaemonClient(const std::vector<std::string>& prefix, const std::string& program) {
  auto [ours, theirs] = socket_pair();
  auto argv = prefix;
  argv.push_back(program);
  daemon_ = start_daemon(argv, theirs);
  connection_.emplace(std::move(ours));
}

Json DaemonClient::ask(const Json& request, const std::vector<int>& fds) {
  connection_->send(request, fds);
  return next();
}

Json DaemonClient::next() {
  auto message = connection_->receive();
  return message ? message->body : Json{};
}

netd::CreatedReply DaemonClient::create(const netd::CreateRequest& request) {
  const auto reply = ask(to_json(request));
  if (reply.is_object() && reply.at("type") == "created") {
    return netd::message_from_json<netd::CreatedReply>(reply);
  }
  throw std::runtime_error{reply.dump()};
}

netd::CountersReply DaemonClient::counters() {
  return netd::message_from_json<netd::CountersReply>(past_events(ask(netd::counters_request())));
}

Json DaemonClient::past_events(Json message) {
  const auto is_event = [&](const char* type) { return message.value("type", "") == type; };
  while (is_event("exited") || is_event("stepped")) message = next();
  return message;
}

netd::SpawnedReply DaemonClient::start_inside(int slot, const std::vector<std::string>& argv,
                                              int out,
                                              const std::vector<std::string>& environment) {
  const UniqueFd null{check("/dev/null", ::open("/dev/null", O_RDONLY | O_CLOEXEC))};
  auto all = environment;
  // ASAN_OPTIONS switches off what a build with sanitizers cannot do here; see CMakeLists.txt.
  if (const char* options = std::getenv("ASAN_OPTIONS")) {
    all.push_back(fmt::format("ASAN_OPTIONS={}", options));
  }
  const auto reply = past_events(
      ask(to_json(netd::SpawnRequest{slot, argv, all}), {null.get(), out, STDERR_FILENO}));
  if (reply.value("type", "") != "spawned") throw std::runtime_error{reply.dump()};
  return netd::message_from_json<netd::SpawnedReply>(reply);
}

std::string DaemonClient::run_inside(int slot, const std::vector<std::string>& argv) {
  auto out = Pipe::create();
  const int process = start_inside(slot, argv, out.write.get()).process;
  out.write.reset();
  auto text = read_to_end(out.read.get());
  auto event = netd::message_from_json<netd::ExitedEvent>(next());
  // Skips the ends of other programs.
  while (event.process != process) event = netd::message_from_json<netd::ExitedEvent>(next());
  if (event.code != 0 || event.signal != 0) {
    throw std::runtime_error{fmt::format("{} ended with code {}, signal {}: {}", shell_words(argv),
                                         event.code, event.signal, text)};
  }
  return text;
}

std::string run_in_namespace_of(int pid, std::vector<std::string> argv) {
  std::vector<std::string> words{"nsenter", "--target", std::to_string(pid), "--net"};
  if (::getuid() != 0) words.insert(words.end(), {"--user", "--preserve-credentials"});
  words.insert(words.end(), argv.begin(), argv.end());
  return run_checked(words);
}

std::string no_fabric_reason() {
  if (run_command({"unshare", "--net", "true"}).status.ok()) return {};
  const auto rootless = run_command({"unshare", "--user", "--map-root-user", "--net", "true"});
  if (rootless.status.ok()) return {};
  return "neither root nor user namespaces here: " + rootless.err;
}

std::string read_to_end(int fd) {
  std::string text;
  std::array<char, 4096> part;
  for (ssize_t count = 0; (count = ::read(fd, part.data(), part.size())) > 0;) {
    text.append(part.data(), static_cast<std::size_t>(count));
  }
  return text;
}

}  // namespace pacbench
