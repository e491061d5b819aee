#pragma once

namespace pacbench::trainer {

/// Threads for each of `ranks` ranks that compute at the same time: its share of the cores, at
/// least one.
int share_of_cores(int ranks);

/// While one lives, the calling thread computes on all usable cores; afterwards on its share again.
/// For times when the other ranks are waiting anyway: it does not stop them.
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
