#include "netem/session/outbox.h"

#include <poll.h>

#include <system_error>

namespace pacbench::netem {

void Outbox::reply(const Json& message) {
  // async_wait() has made the socket non-blocking, but a message must be written whole.
  ready_.native_non_blocking(false);
  for (; !waiting_.empty(); waiting_.pop_front()) socket_.send(waiting_.front());
  socket_.send(message);
}

void Outbox::tell(Json event) {
  waiting_.push_back(std::move(event));
  if (waiting_.size() > kMostWaiting) return lost_("the client does not read its messages");
  if (!awaiting_room_) send_waiting();
}

void Outbox::send_waiting() {
  try {
    ready_.native_non_blocking(false);
    for (; !waiting_.empty() && has_room(); waiting_.pop_front()) socket_.send(waiting_.front());
    if (!waiting_.empty()) await_room();
  } catch (const std::system_error& error) {
    lost_(error.what());
  }
}

void Outbox::await_room() {
  awaiting_room_ = true;
  ready_.async_wait(ready_.wait_write, [this](const boost::system::error_code& error) {
    awaiting_room_ = false;
    if (!error) send_waiting();
  });
}

bool Outbox::has_room() const {
  pollfd room{socket_.fd(), POLLOUT, 0};
  return ::poll(&room, 1, 0) > 0;
}

}  // namespace pacbench::netem
