#include "trainer/rank/cell_state.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <cstring>

#include "base/sha256.h"
#include "contract/catalogue/choice_json.h"
#include "contract/scenario/workload.h"

namespace pacbench::trainer {
namespace {

constexpr const char* kCell = "cell";
constexpr const char* kChecksum = "checksum";
constexpr const char* kAdvice =
    "delete it, and the run goes on from the state before it, or from the beginning if there is "
    "none";

Json cell_of(const WorkerSpec& spec) {
  return {{"workers", spec.workers},
          {"seed", spec.seed},
          {"device", spec.device},
          {"workload", Json(spec.workload)},
          {"method", choice_to_json(spec.method)}};
}

at::Tensor bytes_of(const std::string& text) {
  auto bytes = at::empty({static_cast<std::int64_t>(text.size())}, at::kByte);
  std::memcpy(bytes.data_ptr(), text.data(), text.size());
  return bytes;
}

std::string text_of(const at::Tensor& bytes) {
  return {static_cast<const char*>(bytes.const_data_ptr()), bytes.nbytes()};
}

/// SHA-256 of the name, the type, the shape and the bytes of every entry but the checksum itself.
/// The file's own CRC is not enough: torch reads archives without checking it.
std::string checksum_of(const TensorMap& entries) {
  Sha256 sum;
  for (const auto& [name, tensor] : entries) {
    if (name == kChecksum) continue;
    const auto values = tensor.detach().cpu().contiguous();
    sum.add(fmt::format("{} {} [{}]\n", name, c10::toString(values.scalar_type()),
                        fmt::join(values.sizes(), ",")));
    sum.add({static_cast<const char*>(values.const_data_ptr()), values.nbytes()});
  }
  return sum.digits();
}

void require_unchanged(const TensorMap& entries, const std::string& path) {
  const auto recorded = entries.find(kChecksum);
  const auto expected = recorded == entries.end() ? "none" : text_of(recorded->second);
  const auto found = checksum_of(entries);
  if (found == expected) return;
  throw ConfigError{
      path,
      {{"", fmt::format(
                "the state has the checksum {}, expected {}, which is recorded in it: the state "
                "was changed or damaged; {}",
                found, expected, kAdvice)}}};
}

std::vector<Issue> differences(const Json& found, const Json& expected) {
  std::vector<Issue> issues;
  const auto complain = [&](const std::string& pointer, const std::string& here,
                            const std::string& wanted) {
    issues.push_back({pointer, fmt::format("the state is of a cell with {}, expected {}; {}", here,
                                           wanted, kAdvice)});
  };
  const auto left = found.flatten();
  const auto right = expected.flatten();
  for (const auto& [pointer, value] : right.items()) {
    const auto text = left.contains(pointer) ? left.at(pointer).dump() : "nothing";
    if (text != value.dump()) complain(pointer, text, value.dump());
  }
  for (const auto& [pointer, value] : left.items()) {
    if (!right.contains(pointer)) complain(pointer, value.dump(), "no such entry");
  }
  return issues;
}

}  // namespace

CellState::CellState(const WorkerSpec& spec)
    : folder_{spec.state_folder},
      last_path_{spec.resume_state},
      cell_{cell_of(spec).dump()},
      collected_(static_cast<std::size_t>(spec.workers)) {
  if (spec.resume_state.empty()) return;
  resumed_ = load_tensors(spec.resume_state, kAdvice);
  const auto cell = resumed_.find(kCell);
  if (cell == resumed_.end()) {
    throw ConfigError{spec.resume_state,
                      {{"", fmt::format("found no state of a cell in this file: {}", kAdvice)}}};
  }
  require_unchanged(resumed_, spec.resume_state);
  const auto issues =
      differences(parse_json(spec.resume_state, text_of(cell->second)), cell_of(spec));
  if (!issues.empty()) throw ConfigError{spec.resume_state, issues};
}

void CellState::Saver::tensor(const std::string& name, at::Tensor& value) {
  if (value.defined()) entries_[part_ + name] = value.detach().clone();
}

void CellState::Saver::number(const std::string& name, std::int64_t& value) {
  entries_[part_ + name] = at::full({1}, value, at::kLong);
}

void CellState::Loader::tensor(const std::string& name, at::Tensor& value) {
  const auto found = state_.resumed_.find(part_ + name);
  const auto device = value.defined() ? value.device() : c10::Device{c10::kCPU};
  value = found == state_.resumed_.end() ? at::Tensor{} : found->second.to(device, true, true);
}

void CellState::Loader::number(const std::string& name, std::int64_t& value) {
  const auto found = state_.resumed_.find(part_ + name);
  if (found == state_.resumed_.end()) {
    throw ConfigError{state_.last_path_,
                      {{"", fmt::format("the state has no {}{}: {}", part_, name, kAdvice)}}};
  }
  value = found->second.item<std::int64_t>();
}

void CellState::write(std::int64_t iteration) {
  TensorMap all{{kCell, bytes_of(cell_)}};
  for (auto& rank : collected_) {
    all.merge(rank);
    rank.clear();
  }
  all[kChecksum] = bytes_of(checksum_of(all));
  const auto path = fmt::format("{}/state-{}.pt", folder_, iteration);
  save_tensors(all, path);
  remove_all_but({path, last_path_});
  last_path_ = path;
}

void CellState::remove_all_but(const std::set<std::filesystem::path>& kept) const {
  std::vector<std::filesystem::path> others;
  for (const auto& entry : std::filesystem::directory_iterator{folder_}) {
    const auto name = entry.path().filename().string();
    const bool is_state = name.starts_with("state-") && name.ends_with(".pt");
    if (is_state && !kept.contains(entry.path())) others.push_back(entry.path());
  }
  for (const auto& path : others) std::filesystem::remove(path);
}

}  // namespace pacbench::trainer
