#include "spec/worker_spec.h"

#include <fmt/format.h>

#include "spec/workload_json.h"

namespace pacbench {
namespace {

Json link_json(const LinkFacts& link) {
  return {{"topology", link.topology}, {"groups", link.groups}, {"rate_mbit", link.rate_mbit}};
}

LinkFacts link_from(const Json& node) {
  return {node.at("topology"), node.at("rate_mbit"), node.at("groups").get<std::vector<int>>()};
}

}  // namespace

Json to_json(const WorkerSpec& spec) {
  Json node{{"version", WorkerSpec::kVersion},
            {"role", spec.role},
            {"rank", spec.rank},
            {"workers", spec.workers},
            {"seed", spec.seed},
            {"device", spec.device},
            {"backend", spec.backend},
            {"share_gpus", spec.share_gpus},
            {"interface", spec.interface},
            {"link", link_json(spec.link)},
            {"compute_factor", spec.compute_factor},
            {"timeout_s", spec.timeout_s},
            {"workload", workload_to_json(spec.workload)},
            {"method", choice_to_json(spec.method)},
            {"targets", to_json(spec.targets)},
            {"data_folder", spec.data_folder},
            {"checkpoint", spec.checkpoint},
            {"quality_every", spec.quality_every},
            {"state_every", spec.state_every},
            {"state_folder", spec.state_folder},
            {"exchanges", Json::array()},
            {"resume_state", spec.resume_state}};
  for (const auto& [method, link] : spec.exchanges) {
    node["exchanges"].push_back({{"method", choice_to_json(method)}, {"link", link_json(link)}});
  }
  if (const auto& compose = spec.compose) {
    node["compose"] = {{"profile", to_json(compose->profile)},
                       {"sample", compose->sample},
                       {"exchange", compose->exchange},
                       {"iterations", compose->iterations},
                       {"cell_s", compose->cell_s}};
  }
  return node;
}

WorkerSpec worker_spec_from_json(const Json& document) {
  try {
    if (document.at("version") != WorkerSpec::kVersion) {
      throw ConfigError{
          "worker specification",
          {{"/version", fmt::format("found {}, expected {}", document.at("version").dump(),
                                    WorkerSpec::kVersion)}}};
    }
    WorkerSpec spec;
    spec.role = document.at("role");
    spec.rank = document.at("rank");
    spec.workers = document.at("workers");
    spec.seed = document.at("seed");
    spec.device = document.at("device");
    spec.backend = document.at("backend");
    spec.share_gpus = document.at("share_gpus");
    spec.interface = document.at("interface");
    spec.link = link_from(document.at("link"));
    spec.compute_factor = document.at("compute_factor");
    spec.timeout_s = document.at("timeout_s");
    spec.workload = workload_from_canonical_json(document.at("workload"));
    spec.method = choice_from_canonical_json(document.at("method"));
    spec.targets = targets_of(document);
    spec.data_folder = document.at("data_folder");
    spec.checkpoint = document.at("checkpoint");
    spec.quality_every = document.at("quality_every");
    spec.state_every = document.at("state_every");
    spec.state_folder = document.at("state_folder");
    for (const auto& node : document.at("exchanges")) {
      spec.exchanges.push_back(
          {choice_from_canonical_json(node.at("method")), link_from(node.at("link"))});
    }
    spec.resume_state = document.at("resume_state");
    if (document.contains("compose")) {
      const auto& node = document.at("compose");
      auto& compose = spec.compose.emplace();
      compose.profile =
          profile_from_json("worker specification, /compose/profile", node.at("profile"));
      compose.sample = node.at("sample");
      compose.exchange = node.at("exchange");
      compose.iterations = node.at("iterations");
      compose.cell_s = node.at("cell_s");
    }
    return spec;
  } catch (const Json::exception& error) {
    throw ConfigError{"worker specification", {{"", error.what()}}};
  }
}

}  // namespace pacbench
