#pragma once

#include <poll.h>

#include <string>
#include <vector>

#include "harness/links/slot_host.h"
#include "harness/machine/process_channel.h"

namespace pacbench::links {

/// A pacbench-probe in a slot of a SlotHost; `pacbench-probe --help` says what its lines are. It
/// ends when its standard input does, and so with this object.
class ProbeProgram {
 public:
  /// Asks `host` to start `program words...` in `slot`. Throws ProtocolError with the daemon's own
  /// words when the daemon refuses.
  ProbeProgram(SlotHost& host, int slot, const std::string& program,
               const std::vector<std::string>& words);

  int slot() const { return slot_; }
  const std::string& command() const { return command_; }

  /// Adds the descriptors to poll; call exchange() when one is ready.
  void add_to(std::vector<pollfd>& polls) const { channel_.add_to(polls); }
  /// The lines that have come since the last call. Throws ProtocolError on a line that is no JSON
  /// object with the key "event".
  std::vector<Json> exchange();

  void say(std::string_view line) { channel_.say(line); }
  bool closed() const { return channel_.closed(); }  ///< has ended, and all it said was read

  /// The program's standard error so far.
  const std::string& errors() const { return errors_; }

 private:
  int slot_;
  std::string command_;
  ProcessChannel channel_;
  std::string errors_;
};

}  // namespace pacbench::links
