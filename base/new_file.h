#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace pacbench {

/// A file that is written piece by piece and then appears under its name in one step, whole.
/// Readers see the old text or the new one, also after a crash. put_in_place() is that step, and is
/// durable. When the object is destroyed without it, nothing of the new file is left. Members throw
/// std::system_error naming the path.
class NewFile {
 public:
  explicit NewFile(std::string path);
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;
  ~NewFile();

  void write(std::string_view text);
  void put_in_place();

 private:
  std::string path_;
  std::string temporary_;
  UniqueFd fd_;
};

}  // namespace pacbench
