#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "contract/worker/worker_spec.h"
#include "trainer/averaging/state_visitor.h"
#include "trainer/training/tensor_file.h"

namespace pacbench::trainer {

/// The state of all ranks of a cell after an iteration, as one file, from which a run resumes.
/// State that is the same on all ranks is in the file once. The order of data and all random
/// numbers are functions of seed and iteration, so they are not stored. The caller makes the ranks
/// wait for each other after they collected (Saver) and before write().
class CellState {
 public:
  /// Reads `spec.resume_state` when that is given. Throws std::system_error when the file cannot be
  /// read. Throws ConfigError when the file is no cell's state, has changed since it was written,
  /// or is of another cell. For another cell the error names all differences between the cells.
  explicit CellState(const WorkerSpec& spec);

  bool resumes() const { return !resumed_.empty(); }

  /// The name of each entry begins with a prefix. It is part_of(rank) if the entry is a rank's own,
  /// and kShared if the entry is the same on all ranks.
  static std::string part_of(int rank) { return fmt::format("rank{}/", rank); }
  static constexpr const char* kShared = "shared/";

  /// Collects what one rank visits, for `write`. Every rank may collect at the same time.
  class Saver final : public StateVisitor {
   public:
    Saver(CellState& state, int rank, std::string part)
        : entries_{state.collected_.at(static_cast<std::size_t>(rank))}, part_{std::move(part)} {}
    void tensor(const std::string& name, at::Tensor& value) override;
    void number(const std::string& name, std::int64_t& value) override;

   private:
    TensorMap& entries_;
    std::string part_;
  };

  /// Restores what was saved, on the device of the tensor that it replaces, or on the host where
  /// that is undefined. A tensor that the file does not hold becomes undefined. Throws ConfigError
  /// for a number that the file does not hold.
  class Loader final : public StateVisitor {
   public:
    Loader(const CellState& state, std::string part) : state_{state}, part_{std::move(part)} {}
    void tensor(const std::string& name, at::Tensor& value) override;
    void number(const std::string& name, std::int64_t& value) override;

   private:
    const CellState& state_;
    std::string part_;
  };

  /// Writes what all ranks have collected. Keeps only this state and the previous state in the
  /// folder. A run resumes from a state only when all event lines up to that state are there. The
  /// last lines before the newest state may be missing, hence the previous state is kept.
  void write(std::int64_t iteration);

 private:
  void remove_all_but(const std::set<std::filesystem::path>& kept) const;

  std::string folder_;
  std::string last_path_;
  std::string cell_;  ///< canonical JSON of all that a state is bound to
  TensorMap resumed_;
  std::vector<TensorMap> collected_;
};

}  // namespace pacbench::trainer
