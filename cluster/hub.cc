#include "cluster/hub.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cctype>
#include <chrono>
#include <csignal>
#include <list>
#include <memory>
#include <random>

#include "base/check.h"
#include "base/subprocess.h"
#include "cluster/client.h"

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

// The longest message that a peer may send before it has shown the token.
constexpr std::size_t kJoinBytes = 4096;
constexpr std::chrono::seconds kFirstMessage{10};
constexpr std::size_t kInputBytes = 64 << 10;

void say(const Json& event) {
  fmt::print("{}\n", json_text(event));
  std::fflush(stdout);
}

Json about(const char* event, const Join& join) {
  return {{"event", event}, {"rank", join.rank}, {"host", join.host}};
}

/// Whether two secrets are equal, in a time that does not depend on how much of them agrees.
bool same_secret(const std::string& a, const std::string& b) {
  return a.size() == b.size() && ::CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

/// Runs a command, for eleven seconds at most, and returns its output; empty without a command.
std::string run_briefly(std::vector<std::string> words) {
  if (words.empty()) return {};
  words.insert(words.begin(), {"timeout", "--kill-after=1", "10"});
  auto text = run_command(words).out;
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.pop_back();
  return text;
}

/// Connects the nodes of a run.
class Hub {
 public:
  explicit Hub(const HubOptions& options)
      : options_{options},
        for_nodes_{io_, {asio::ip::make_address_v4(options_.bind), options_.port}},
        for_clients_{io_, {options_.socket}},
        signals_{io_, SIGTERM, SIGINT},
        nodes_(static_cast<std::size_t>(options_.nodes)),
        // Other runs may use the same network, so the numbers of fabrics begin at random.
        shared_{.next_fabric = static_cast<int>(std::random_device{}() % netd::Uplink::kFabrics)} {}

  void run() {
    // The parent may have asked the kernel to kill the hub when the parent dies. The command for
    // the end (at_end) would then not run. The end of standard input ends the hub in any case.
    check("PR_SET_PDEATHSIG", ::prctl(PR_SET_PDEATHSIG, 0));
    say({{"event", "listening"}, {"port", for_nodes_.local_endpoint().port()}});
    // When one of these coroutines fails, the hub is of no use: it ends, and says why.
    const auto end_of_hub = [](const std::exception_ptr& failure) {
      if (failure) std::rethrow_exception(failure);
    };
    asio::co_spawn(io_, accept_nodes(), end_of_hub);
    asio::co_spawn(io_, accept_clients(), end_of_hub);
    asio::co_spawn(io_, take_input(), end_of_hub);
    signals_.async_wait([this](const boost::system::error_code& error, int) {
      if (!error) io_.stop();
    });
    std::exception_ptr failure;
    try {
      io_.run();
    } catch (...) {
      failure = std::current_exception();
    }
    ::unlink(options_.socket.c_str());
    for (const auto& node : nodes_) {
      if (node) node->close();
    }
    run_briefly(at_end_);
    if (failure) std::rethrow_exception(failure);
  }

 private:
  asio::awaitable<void> take_input() {
    asio::posix::stream_descriptor input{io_, ::dup(STDIN_FILENO)};
    std::string text;
    boost::system::error_code error;
    while (!error) {
      const auto end =
          co_await asio::async_read_until(input, asio::dynamic_buffer(text, kInputBytes), '\n',
                                          asio::redirect_error(asio::use_awaitable, error));
      if (error) break;
      const auto wanted = parse_json("standard input", text.substr(0, end));
      if (wanted.contains("at_end")) wanted.at("at_end").get_to(at_end_);
      if (wanted.contains("explain")) wanted.at("explain").get_to(explain_);
      text.erase(0, end);
    }
    io_.stop();
  }

  asio::awaitable<void> accept_nodes() {
    for (;;) {
      auto socket = co_await for_nodes_.async_accept(asio::use_awaitable);
      asio::co_spawn(io_, serve_node(std::make_shared<Connection>(std::move(socket))),
                     asio::detached);
    }
  }

  asio::awaitable<void> accept_clients() {
    for (;;) {
      auto socket = co_await for_clients_.async_accept(asio::use_awaitable);
      asio::co_spawn(io_, serve_client(UniqueFd{socket.release()}), asio::detached);
    }
  }

  asio::awaitable<void> serve_client(UniqueFd connection) {
    const auto client = std::make_shared<Client>(io_, std::move(connection), nodes_, shared_);
    clients_.push_back(client);
    co_await client->serve();
    clients_.remove(client);
  }

  /// Why a node may not join; empty: it may.
  std::string objection(const Join& join) const {
    if (!same_secret(join.token, options_.token)) {
      return fmt::format("found another {} than this run's", kTokenVariable);
    }
    if (join.version != kVersion) {
      return fmt::format(
          "found protocol version {}, expected {}: install the same pacbench on all hosts",
          join.version, kVersion);
    }
    if (join.rank < 0 || join.rank >= options_.nodes) {
      return fmt::format("found rank {}, expected 0 to {}", join.rank, options_.nodes - 1);
    }
    for (const auto& other : nodes_) {
      if (!other) continue;
      if (other->join().rank == join.rank) {
        return fmt::format("{} has this rank already", other->who());
      }
      if (!options_.share_hosts && other->join().address == join.address) {
        return fmt::format(
            "{} has the address {} already. Bytes are counted for each device, so the bytes of two "
            "ranks on one host cannot be told apart; expected one rank on each host (under Slurm: "
            "--ntasks-per-node=1)",
            other->who(), join.address);
      }
    }
    return {};
  }

  asio::awaitable<void> serve_node(std::shared_ptr<Connection> connection) {
    std::shared_ptr<HubNode> node;
    std::string reason = "has closed its connection";
    try {
      // A peer that stays silent must not keep a descriptor.
      asio::steady_timer silence{io_, kFirstMessage};
      silence.async_wait([connection](const boost::system::error_code& joined) {
        if (!joined) connection->close();
      });
      const auto first = co_await connection->receive(kJoinBytes);
      if (!first || type_of(*first) != Join::kType) co_return;
      const auto join = first->get<Join>();
      if (const auto why = objection(join); !why.empty()) {
        connection->send(message(kRefused, {{"reason", why}}));
        if (same_secret(join.token, options_.token)) {
          auto event = about("refused", join);
          event["reason"] = why;
          say(event);
        }
        co_await connection->receive(kJoinBytes);  // until the node has read the refusal and gone
        co_return;
      }
      silence.cancel();
      node = std::make_shared<HubNode>(io_, join, connection);
      nodes_.at(static_cast<std::size_t>(join.rank)) = node;
      node->send(message(kWelcome));
      say(about("joined", join));
      while (const auto said = co_await connection->receive()) take(*node, *said);
    } catch (const std::exception& error) {
      reason = fmt::format("has failed: {}", error.what());
    }
    if (node) lose(*node, reason);
  }

  void take(HubNode& node, const Json& message) {
    if (type_of(message) == kLeaving) return lose(node, reason_of(message));
    for (const auto& client : clients_) {
      if (client->take(message)) return;
    }
    node.take_answer(message);
  }

  /// Marks a node as lost and gives up all clients, because every run needs all nodes.
  void lose(HubNode& node, const std::string& reason) {
    if (node.lost()) return;
    const auto more = run_briefly(explain_);
    const auto words = more.empty() ? reason : fmt::format("{}; its job: {}", reason, more);
    node.lose(words);
    auto event = about("lost", node.join());
    event["reason"] = words;
    say(event);
    for (const auto& client : clients_) client->give_up(node.who());
  }

  const HubOptions& options_;
  asio::io_context io_;
  Tcp::acceptor for_nodes_;
  asio::local::stream_protocol::acceptor for_clients_;
  asio::signal_set signals_;
  Nodes nodes_;
  std::list<std::shared_ptr<Client>> clients_;
  Client::Shared shared_;
  std::vector<std::string> at_end_;
  std::vector<std::string> explain_;
};

}  // namespace

void run_hub(const HubOptions& options) { Hub{options}.run(); }

}  // namespace pacbench::cluster
