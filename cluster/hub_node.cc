#include "cluster/hub_node.h"

#include <fmt/format.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <stdexcept>

namespace pacbench::cluster {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::seconds kAnswerTime{60};

std::string key_of(const Json& message) {
  const auto type = type_of(message);
  if (type == kSpawned || type == kNotSpawned) return spawned_key(message.at("program").get<int>());
  return type == kNotMade ? kMade : type;
}

}  // namespace

std::string spawned_key(int program) { return fmt::format("{}/{}", kSpawned, program); }

HubNode::HubNode(asio::io_context& io, Join join, std::shared_ptr<Connection> connection)
    : io_{io}, join_{std::move(join)}, connection_{std::move(connection)} {}

std::string HubNode::who() const {
  const auto name = fmt::format("node {} (rank {})", join_.host, join_.rank);
  return lost_ ? fmt::format("{} {}", name, reason_) : name;
}

Awaited HubNode::ask_for(const Json& message, const std::string& key) {
  if (lost_) throw std::runtime_error{who()};
  auto waiting = std::make_shared<Waiting>(Waiting{asio::steady_timer{io_, kAnswerTime}});
  waiting_[key].push_back(waiting);
  send(message);
  return waiting;
}

asio::awaitable<Json> HubNode::answer(Awaited awaited) {
  if (awaited->answer.is_null() && !lost_) {
    boost::system::error_code cancelled;
    co_await awaited->timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
  }
  if (!awaited->answer.is_null()) co_return std::move(awaited->answer);
  // `awaited` stays in waiting_, so that its late answer is not taken for the answer to the next
  // request with the same key.
  if (lost_) throw std::runtime_error{who()};
  throw std::runtime_error{fmt::format("{} has not answered for {} s", who(), kAnswerTime.count())};
}

asio::awaitable<Json> HubNode::ask(Json message, std::string key) {
  co_return co_await answer(ask_for(message, key));
}

void HubNode::take_answer(const Json& message) {
  const auto found = waiting_.find(key_of(message));
  if (found == waiting_.end() || found->second.empty()) return;
  const auto waiting = found->second.front();
  found->second.pop_front();
  waiting->answer = message;
  waiting->timer.cancel();
}

void HubNode::lose(const std::string& reason) {
  lost_ = true;
  reason_ = reason;
  for (auto& [key, all] : waiting_) {
    for (auto& waiting : all) waiting->timer.cancel();
  }
}

}  // namespace pacbench::cluster
