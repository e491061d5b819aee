#pragma once

namespace pacbench::trainer {

/// The number of threads for each of `ranks` ranks that compute at the same time: the usable cores
/// divided by `ranks`, at least one.
int share_of_cores(int ranks);

/// While an object of this class lives, the calling thread computes on all usable cores; afterwards
/// on its share of them again. Use it while the other ranks wait: it does not stop them.
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
