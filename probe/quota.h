#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>

namespace pacbench::probe {

/// The limits of what `answer` does for other hosts while it runs.
struct AnswerLimits {
  int most_clients = 16;                    ///< client addresses in total
  int most_connections = 4;                 ///< of one client at a time
  std::int64_t most_bytes = 1'000'000'000;  ///< of one client, both ways together
  double most_seconds = 60;                 ///< of one connection
};

/// A request that the limits do not allow.
class Refused : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Counts what each client has used of the limits. Several threads may use one object.
class Quota {
 public:
  explicit Quota(const AnswerLimits& limits) : limits_{limits} {}

  /// The right to carry `bytes` over one connection. All of them count as used while the grant
  /// lives. The destructor gives back those beyond used(); without a call of used(), none.
  class Grant {
   public:
    Grant(Quota& quota, std::string client, std::int64_t bytes)
        : quota_{quota}, client_{std::move(client)}, bytes_{bytes}, used_bytes_{bytes} {}
    Grant(const Grant&) = delete;
    Grant& operator=(const Grant&) = delete;
    ~Grant() { quota_.settle(client_, bytes_ - used_bytes_); }

    void used(std::int64_t bytes) { used_bytes_ = bytes; }

   private:
    Quota& quota_;
    std::string client_;
    std::int64_t bytes_;
    std::int64_t used_bytes_;
  };

  /// Throws Refused, whose message names the limit that the request exceeds.
  Grant grant(const std::string& client, std::int64_t bytes, double seconds);

 private:
  struct Account {
    int connections = 0;
    std::int64_t left_bytes = 0;
  };
  void settle(const std::string& client, std::int64_t unused_bytes);

  AnswerLimits limits_;
  std::mutex mutex_;
  std::map<std::string, Account> accounts_;
};

}  // namespace pacbench::probe
