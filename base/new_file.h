#pragma once

#include <string>
#include <string_view>

#include "base/unique_fd.h"

namespace pacbench {

/// A file that is written piece by piece. put_in_place() then makes the whole file appear under its
/// name, in one step and durably. Readers see the old text or the new one, also after a crash.
/// Without put_in_place() the destructor removes what was written. Members throw std::system_error
/// naming the path, or the folder where syncing the folder fails.
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
