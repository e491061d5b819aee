#include "harness/report/report.h"

namespace pacbench {
namespace {

Json to_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json to_json(const std::optional<Spread>& value) {
  if (!value) return nullptr;
  return {{"median", value->median}, {"minimum", value->minimum}, {"maximum", value->maximum}};
}

Json to_json(const CensoredSpread& value) {
  return {{"median", to_json(value.median)},
          {"minimum", to_json(value.minimum)},
          {"maximum", to_json(value.maximum)},
          {"reached", value.reached},
          {"total", value.total}};
}

Json to_json(const TargetSummary& target) {
  return {{"accuracy", target.accuracy},
          {"tta_s", to_json(target.tta_s)},
          {"iterations", to_json(target.iterations)},
          {"speed_up_all_reduce", to_json(target.speed_up_all_reduce)},
          {"speed_up_fp16", to_json(target.speed_up_fp16)}};
}

Json to_json(const ReportRow& row) {
  Json targets = Json::array();
  for (const auto& target : row.targets) targets.push_back(to_json(target));
  return {{"label", row.label},
          {"method", row.method},
          {"seeds", row.seeds},
          {"done", row.done},
          {"failed", row.failed},
          {"unfinished", row.unfinished},
          {"link_verdict", row.suspect ? "suspect" : "ok"},
          {"host_verdict", row.cpu_bound ? "cpu-bound" : "ok"},
          {"stopped_at_target", row.stopped_at_target},
          {"targets", targets},
          {"time_per_iteration_s", to_json(row.time_per_iteration_s)},
          {"samples_per_s", to_json(row.samples_per_s)},
          {"compute_s", to_json(row.compute_s)},
          {"exposed_s", to_json(row.exposed_s)},
          {"encode_s", to_json(row.encode_s)},
          {"wire_s", to_json(row.wire_s)},
          {"overlap", to_json(row.overlap)},
          {"vnmse", to_json(row.vnmse)},
          {"cosine", to_json(row.cosine)},
          {"residual_norm", to_json(row.residual_norm)},
          {"final_accuracy", to_json(row.final_accuracy)},
          {"best_accuracy", to_json(row.best_accuracy)},
          {"measured_bytes_per_iteration", to_json(row.measured_bytes_per_iteration)},
          {"expected_bytes_per_iteration", to_json(row.expected_bytes_per_iteration)},
          {"payload_bytes_per_iteration", to_json(row.payload_bytes_per_iteration)},
          {"pruning_s", to_json(row.pruning_s)},
          {"kept_fraction", to_json(row.kept_fraction)},
          {"compacted_from", to_json(row.compacted_from)},
          {"dense_share", to_json(row.dense_share)},
          {"overhead_s", to_json(row.overhead_s)},
          {"mask_overlap", row.mask_overlap ? Json(*row.mask_overlap) : Json{}},
          {"notes", row.notes}};
}

Json to_json(const LinkReport& link) {
  Json rows = Json::array();
  for (const auto& row : link.rows) rows.push_back(to_json(row));
  return {{"link", link.link},
          {"description", link.words},
          {"rate_mbit", link.rate_mbit},
          {"probe", to_json(link.probe)},
          {"rows", rows}};
}

Json to_json(const ReportSection& section) {
  Json links = Json::array();
  for (const auto& link : section.links) links.push_back(to_json(link));
  return {{"title", section.title},
          {"name", section.name},
          {"files", section.files},
          {"mode", section.mode},
          {"comparison_hash", section.comparison_hash},
          {"seeds", section.seeds},
          {"pretrain_s", to_json(section.pretrain_s)},
          {"links", links},
          {"notes", section.notes}};
}

}  // namespace

Json to_json(const Report& report) {
  Json sections = Json::array();
  for (const auto& section : report.sections) sections.push_back(to_json(section));
  return {{"format", Report::kFormat}, {"name", report.name}, {"sections", sections}};
}

}  // namespace pacbench
