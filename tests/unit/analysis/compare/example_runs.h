#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/files.h"
#include "contract/result/result.h"

namespace pacbench::compare {

/// Changes that are made to a run before it is written.
struct Edit {
  std::function<void(CellResult&)> cell = [](CellResult&) {};
  std::function<void(Json& manifest, Json& result)> files = [](Json&, Json&) {};
  std::vector<std::int64_t> seeds = {1};
};

/// Writes a results folder of two methods over one link: all-reduce of 0.2 s a step, and ternary of
/// 50 ms, 8 ms of them encoding. `number` shifts the times by some tenths of a percent.
void write_run(const std::string& folder, int number, const Edit& edit = {});

/// A temporary folder of `count` runs, with numbers from `first` on.
struct ExampleSide {
  explicit ExampleSide(int count, const Edit& edit = {}, int first = 0);
  TemporaryFolder folder;
  std::string path() const { return folder.path(); }
};

/// An edit of the cells of one method.
Edit edit_of(const std::string& label, const std::function<void(CellResult&)>& change);

}  // namespace pacbench::compare
