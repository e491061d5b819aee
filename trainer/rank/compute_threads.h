#pragma once

namespace pacbench::trainer {

/// Threads for each of `ranks` ranks that compute at the same time: its share of the cores, at
/// least one.
int share_of_cores(int ranks);

/// Gives the calling thread all cores, while the other ranks wait for it; then its share again.
class AllCores {
 public:
  explicit AllCores(int ranks);
  AllCores(const AllCores&) = delete;
  AllCores& operator=(const AllCores&) = delete;
  ~AllCores();

 private:
  int share_;
};

}  // namespace pacbench::trainer
