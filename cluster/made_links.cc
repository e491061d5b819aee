#include "cluster/made_links.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>

#include "base/check.h"
#include "base/environment.h"
#include "base/unique_fd.h"
#include "cluster/node_programs.h"
#include "contract/fabric/session_entry.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;
using Local = asio::local::stream_protocol;

/// The descriptor of `pacbench-cluster inside` that leads to its node.
constexpr int kNodeFd = 3;
constexpr std::chrono::milliseconds kForABetterReasonThanTheEnd{1000};

// Two answers and a teardown fit into the time that the hub waits for the node.
constexpr std::chrono::seconds kDaemonAnswerTime{20};
constexpr std::chrono::seconds kTeardownTime{10};

netd::Daemon daemon_of_this_host() {
  netd::Daemon daemon{netd::kServiceSocket, ::geteuid() != 0, kDaemonAnswerTime, kTeardownTime};
  if (daemon.shared) return daemon;
  daemon.path = own_folder() + "/pacbench-netd";
  // The daemon finds its libraries, and `ip` and `tc`, by these.
  daemon.environment = inherited_environment({"PATH", "LD_LIBRARY_PATH"});
  daemon.log = UniqueFd{duplicate(STDERR_FILENO)};
  return daemon;
}

std::shared_ptr<Connection> connection_over(asio::io_context& io, UniqueFd fd) {
  return std::make_shared<Connection>(Local::socket{io, Local{}, fd.release()});
}

}  // namespace

MadeLinks::MadeLinks(asio::io_context& io, const netd::CreateRequest& request, Listener listener)
    : listener_{std::move(listener)},
      daemon_{daemon_of_this_host()},
      created_{daemon_.create(request)} {
  inside_ = connection_over(io, start_inside(*request.uplink));
  asio::co_spawn(io, relay(), asio::detached);
}

MadeLinks::~MadeLinks() {
  *alive_ = false;
  inside_->close();
}

UniqueFd MadeLinks::start_inside(const netd::Uplink& uplink) {
  auto [ours, theirs] = socket_pair();
  const UniqueFd null{check("open /dev/null", ::open("/dev/null", O_RDWR | O_CLOEXEC))};
  netd::SpawnRequest request;
  request.slot = uplink.worker;
  request.argv = {own_folder() + "/pacbench-cluster", "inside",
                  netd::control_address(uplink.worker)};
  // The rank's programs need these; a scheduler may have set them.
  request.environment = inherited_environment(
      {"PATH", "LD_LIBRARY_PATH", "CUDA_VISIBLE_DEVICES", "SLURM_LOCALID", "LOCAL_RANK"});
  // A service refuses files of some file systems, and standard error may be one.
  const int errors = ::geteuid() == 0 ? STDERR_FILENO : null.get();
  daemon_.spawn(request, {null.get(), null.get(), errors, theirs.get()});
  return std::move(ours);
}

asio::awaitable<void> MadeLinks::relay() {
  const auto inside = inside_;
  const auto alive = alive_;
  const auto tell = listener_.tell;
  while (const auto said = co_await inside->receive()) {
    if (*alive) tell(*said);
  }
  // Leaves the node time to report the better reason: a scheduler may have ended the job, and
  // signalled all of its processes.
  const auto executor = co_await asio::this_coro::executor;
  asio::steady_timer pause{executor, kForABetterReasonThanTheEnd};
  co_await pause.async_wait(asio::use_awaitable);
  if (!*alive) co_return;
  const auto words = daemon_.last_words();
  listener_.failed(words.empty()
                       ? "lost its links: the program in their network namespace has ended"
                       : "lost its links: " + words);
}

void run_inside(const std::string& address) {
  // Programs need neither this descriptor nor those above it, of which the daemon has added one.
  check("close_range", ::close_range(kNodeFd, ~0U, CLOSE_RANGE_CLOEXEC));
  asio::io_context io;
  const auto node = connection_over(io, UniqueFd{kNodeFd});
  NodePrograms programs{io, address, [&](const Json& said) { node->send(said); }};
  const auto serve = [&]() -> asio::awaitable<void> {
    while (const auto message = co_await node->receive()) programs.take(*message);
  };
  std::exception_ptr failure;
  asio::co_spawn(io, serve(), [&](const std::exception_ptr& error) {
    failure = error;
    io.stop();
  });
  io.run();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace pacbench::cluster
