#include "cluster/node.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <csignal>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "base/check.h"
#include "base/clock.h"
#include "base/errors.h"
#include "base/host.h"
#include "base/traffic_counters.h"
#include "cluster/made_links.h"
#include "cluster/node_programs.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

// The hub may be started a moment after its nodes.
constexpr double kConnectFor_s = 30;
constexpr std::chrono::milliseconds kBetweenTries{500};

bool real_time_allowed() {
  rlimit limit{};
  return ::geteuid() == 0 || (::getrlimit(RLIMIT_RTPRIO, &limit) == 0 && limit.rlim_cur > 0);
}

/// The IPv4 addresses of each interface that has any, by the interface's name.
std::map<std::string, std::vector<std::string>> addresses() {
  ifaddrs* first = nullptr;
  check("getifaddrs", ::getifaddrs(&first));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> owner{first, &::freeifaddrs};
  std::map<std::string, std::vector<std::string>> found;
  for (const auto* entry = first; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || entry->ifa_addr->sa_family != AF_INET) continue;
    std::array<char, INET_ADDRSTRLEN> text{};
    const auto* address = reinterpret_cast<const sockaddr_in*>(entry->ifa_addr);
    ::inet_ntop(AF_INET, &address->sin_addr, text.data(), text.size());
    found[entry->ifa_name].emplace_back(text.data());
  }
  return found;
}

/// The counts of one rank's made links, which are the only links in the daemon's reply.
Counted counted_of(const netd::CountersReply& reply) {
  Counted counted;
  const auto traffic_of = [&](std::size_t i) {
    if (i >= reply.links.size()) return Traffic{};
    const auto& link = reply.links[i];
    return Traffic{link.bytes, link.packets, link.dropped_packets};
  };
  counted.sent = traffic_of(0);
  counted.received = traffic_of(1);
  if (!reply.retransmitted_segments.empty()) {
    counted.retransmitted_segments = reply.retransmitted_segments.front();
  }
  if (!reply.control_bytes.empty()) counted.control_bytes = reply.control_bytes.front();
  if (!reply.loopback_bytes.empty()) counted.loopback_bytes = reply.loopback_bytes.front();
  counted.deviations = reply.deviations;
  return counted;
}

/// Serves one rank on its host.
class Node {
 public:
  explicit Node(NodeOptions options)
      : options_{std::move(options)}, signals_{io_, SIGTERM, SIGINT, SIGHUP} {}

  void run() {
    asio::co_spawn(io_, serve(), [this](const std::exception_ptr& error) {
      if (!error) return io_.stop();
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& words) {
        end(words.what());
      }
    });
    // A scheduler ends a job by a signal, and kills the job some seconds later.
    signals_.async_wait([this](const boost::system::error_code& error, int number) {
      if (error) return;
      end(fmt::format("was told to end by signal {} ({})", number, ::strsignal(number)));
    });
    io_.run();
    links_.reset();
    programs_.reset();
    if (!failure_.empty()) throw std::runtime_error{failure_};
  }

 private:
  asio::awaitable<void> connect() {
    Tcp::resolver resolver{io_};
    const auto until_ns = monotonic_ns() + static_cast<std::int64_t>(kConnectFor_s * 1e9);
    for (;;) {
      Tcp::socket socket{io_};
      boost::system::error_code error;
      const auto found = co_await resolver.async_resolve(
          Tcp::v4(), options_.hub, options_.port, asio::redirect_error(asio::use_awaitable, error));
      if (!error) {
        co_await asio::async_connect(socket, found,
                                     asio::redirect_error(asio::use_awaitable, error));
      }
      if (!error) {
        hub_ = std::make_shared<Connection>(std::move(socket));
        co_return;
      }
      if (monotonic_ns() > until_ns) {
        throw std::runtime_error{fmt::format("cannot reach the hub at {}:{} in {:g} s: {}",
                                             options_.hub, options_.port, kConnectFor_s,
                                             error.message())};
      }
      asio::steady_timer pause{io_, kBetweenTries};
      co_await pause.async_wait(asio::use_awaitable);
    }
  }

  asio::awaitable<void> serve() {
    co_await connect();
    Join join;
    join.token = options_.token;
    join.rank = options_.rank;
    join.host = host_name();
    join.control_address = hub_->own_address();
    control_interface_ = interface_with(join.control_address);
    if (options_.interface.empty()) options_.interface = control_interface_;
    join.interface = options_.interface;
    join.address = address_of(join.interface);
    join.real_time_allowed = real_time_allowed();
    programs_.emplace(io_, join.control_address, [this](const Json& said) { hub_->send(said); });
    hub_->send(message(join));
    while (const auto said = co_await hub_->receive()) take(*said);
  }

  /// Tells the hub the reason and ends.
  void end(const std::string& reason) {
    failure_ = reason;
    if (!hub_) return io_.stop();
    hub_->send(message(kLeaving, {{"reason", failure_}}));
    // The pause leaves time for the message to reach the hub.
    const auto timer = std::make_shared<asio::steady_timer>(io_, kBetweenTries);
    timer->async_wait([this, timer](const boost::system::error_code&) { io_.stop(); });
  }

  void take(const Json& message) {
    const auto type = type_of(message);
    if (type == kWelcome) return;
    if (type == kRefused) {
      throw std::runtime_error{"the hub refuses this node: " + reason_of(message)};
    }
    if (type == kMake) return make(message.at("fabric"));
    if (type == kUnmake) {
      links_.reset();
      return hub_->send(cluster::message(kUnmade));
    }
    if (type == kCounters) return hub_->send(cluster::message(count()));
    if (links_) return links_->pass(message);
    if (programs_->take(message)) return;
    throw ProtocolError{
        fmt::format("found the message \"{}\" from the hub, which this node does not know; install "
                    "the same pacbench on all hosts",
                    type)};
  }

  void make(const Json& fabric) {
    if (links_) {
      const auto reason = "found links of an earlier cell that have not ended";
      return hub_->send(message(kNotMade, {{"reason", reason}}));
    }
    try {
      auto request = netd::create_request_from_json(fabric);
      request.uplink->interface = options_.interface;
      request.uplink->control_interface = control_interface_;
      links_.emplace(io_, request,
                     MadeLinks::Listener{[this](const Json& said) { hub_->send(said); },
                                         [this](const std::string& reason) { end(reason); }});
      hub_->send(message(kMade, {{"created", to_json(links_->created())}}));
    } catch (const std::exception& error) {
      links_.reset();
      hub_->send(message(kNotMade, {{"reason", error.what()}}));
    }
  }

  Counted count() {
    if (links_) return counted_of(links_->counters());
    Counted counted;
    const auto traffic = device_traffic(options_.interface);
    counted.sent = traffic.sent;
    counted.received = traffic.received;
    counted.retransmitted_segments = retransmitted_segments();
    if (control_interface_ != options_.interface) {
      counted.control_bytes = device_traffic(control_interface_).sent.bytes;
    }
    return counted;
  }

  NodeOptions options_;
  asio::io_context io_;
  asio::signal_set signals_;
  std::shared_ptr<Connection> hub_;
  std::string control_interface_;
  std::optional<NodePrograms> programs_;  ///< on the host itself
  std::optional<MadeLinks> links_;        ///< while there are links, programs run inside them
  std::string failure_;
};

}  // namespace

void run_node(NodeOptions options) { Node{std::move(options)}.run(); }

std::string address_of(const std::string& interface) {
  const auto all = addresses();
  if (const auto found = all.find(interface); found != all.end()) return found->second.front();
  throw std::runtime_error{fmt::format(
      "interface {} has no IPv4 address here; these interfaces have one: {}", interface, all)};
}

std::string interface_with(const std::string& address) {
  const auto all = addresses();
  for (const auto& [name, own] : all) {
    if (std::find(own.begin(), own.end(), address) != own.end()) return name;
  }
  throw std::runtime_error{
      fmt::format("no interface here has the address {}; the interfaces and their addresses: {}",
                  address, all)};
}

}  // namespace pacbench::cluster
