#include "harness/tune/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>

#include "base/files.h"
#include "base/json/checked_keys.h"
#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/method_entry.h"
#include "harness/store/files.h"
#include "harness/tune/choose.h"

namespace pacbench::tune {
namespace {

namespace fs = std::filesystem;

constexpr int kMostExtensions = 3;

/// The grid of learning rates: those of the scenario, and those that extensions have added. An
/// extension adds one rate beyond the lower edge, the upper edge, or both.
struct Grid {
  std::vector<double> rates;                ///< ascending
  std::vector<std::vector<double>> rounds;  ///< the rates that each round tries

  explicit Grid(std::vector<double> first) : rates{first}, rounds{std::move(first)} {}

  void extend(bool down, bool up) {
    std::vector<double> added;
    if (down) added.push_back(rates.front() / 2);
    if (up) added.push_back(rates.back() * 2);
    rounds.push_back(added);
    rates.insert(rates.end(), added.begin(), added.end());
    std::sort(rates.begin(), rates.end());
  }
};

/// A program declares no bytes, so that they are counted. Two digits are left: what a count varies
/// by is no reason to choose an arm.
double rounded(double bytes) { return std::stod(fmt::format("{:.1e}", bytes)); }

class Tuning {
 public:
  Tuning(const run::RunRequest& request, const Catalogue& catalogue, const std::string& folder,
         const RunTrainings& run)
      : request_{request},
        catalogue_{catalogue},
        folder_{folder},
        run_{run},
        grid_{request.scenario.tune.value().learning_rates},
        progress_{request.progress},
        tried_(request.scenario.methods.size()),
        chosen_(request.scenario.methods.size()) {
    if (!request.resume && fs::exists(folder) && !fs::is_empty(folder)) {
      throw ConfigError{folder, "",
                        "the folder exists and is not empty; go on with the tuning in it by "
                        "--resume, or give another one with --out"};
    }
  }

  Tuned finished() {
    for (int extensions = 0;; ++extensions) {
      for (std::size_t i = 0; i < methods().size(); ++i) {
        if (!train(i)) return {scenario(), true};
      }
      const auto [down, up] = choose_all();
      write_file_atomically(folder_ + "/settings.json", json_text(document(), 2) + "\n");
      if ((!down && !up) || extensions == kMostExtensions) break;
      grid_.extend(down, up);
    }
    return {tuned_scenario(), false};
  }

 private:
  const Scenario& scenario() const { return request_.scenario; }
  const std::vector<MethodEntry>& methods() const { return scenario().methods; }
  std::string metric() const {
    if (!scenario().targets.empty()) return scenario().targets.back().metric;
    return scenario().loss_shares.empty() ? kAccuracy : kLoss;
  }

  /// Trains the method's settings with the last round of rates; false after an interrupt.
  bool train(std::size_t index) {
    const auto& method = methods()[index];
    const auto& rates = grid_.rounds.back();
    const auto round = grid_.rounds.size();
    auto request = request_;
    request.scenario = training_scenario(scenario(), method, rates);
    // Trainings of mode learn run on this host, also where the cells run over others.
    request.over_hosts = request_.over_hosts && is_program(method);
    if (request.decision) request.decision->backend.clear();
    request.filter = {};
    request.out =
        fmt::format("{}/{}{}", folder_, method.label, round == 1 ? "" : fmt::format("-{}", round));
    request.resume = fs::exists(request.out + "/manifest.json");
    request.keep_diverged = true;
    const auto outcome = run_(request);
    if (outcome.interrupted) return false;
    refuse_failures(request, outcome);
    const auto arms = arms_of(method, rates);
    for (std::size_t place = 0; place < arms.size(); ++place) {
      tried_[index].push_back({arms[place], trainings_of(request, outcome, place)});
    }
    return true;
  }

  static std::vector<Training> trainings_of(const run::RunRequest& request,
                                            const run::RunOutcome& outcome, std::size_t place) {
    const auto& entry = request.scenario.methods[place];
    std::vector<Training> trainings;
    for (const auto& result : outcome.result.cells) {
      if (result.label != entry.label) continue;
      trainings.push_back({result.status == CellStatus::kDone,
                           store::read_curve(folder_of(result, entry, outcome)),
                           is_program(entry) ? rounded(result.measured_bytes_per_iteration)
                                             : result.expected_bytes_per_iteration});
    }
    return trainings;
  }

  static std::string folder_of(const CellResult& result, const MethodEntry& entry,
                               const run::RunOutcome& outcome) {
    const plan::Cell cell{entry, {result.link, 0}, result.seed};
    return store::cell_folder_of(outcome.folder, cell.folder_name());
  }

  /// Refuses a training that failed without diverging, which must not count against its method. A
  /// training that diverged is a result.
  static void refuse_failures(const run::RunRequest& request, const run::RunOutcome& outcome) {
    std::vector<Issue> issues;
    for (const auto& result : outcome.result.cells) {
      const auto entry =
          std::ranges::find(request.scenario.methods, result.label, &MethodEntry::label);
      const auto cell_folder = folder_of(result, *entry, outcome);
      if (result.status == CellStatus::kDone || store::has_diverged(cell_folder)) continue;
      issues.push_back({"", fmt::format("{}: {}; the same command with --resume, and with --out if "
                                        "it had none, tries it again",
                                        cell_folder, result.reason)});
    }
    // No ConfigError, since the request is right: trainings were recorded, and --resume needs them.
    if (issues.empty()) return;
    throw std::runtime_error{ConfigError{"trainings that failed", issues}.what()};
  }

  /// Chooses an arm of each method: a setting with one learning rate. Returns whether a chosen rate
  /// is the smallest of the grid, and whether one is the largest.
  std::pair<bool, bool> choose_all() {
    bool down = false, up = false;
    for (std::size_t i = 0; i < methods().size(); ++i) {
      chosen_[i] = choose(tried_[i], metric(), scenario().tune->within);
      const auto& judged = chosen_[i].judged[chosen_[i].place];
      if (!judged.final_value) {
        throw std::runtime_error{fmt::format(
            "{}/{}: no setting was trained to its end with more than half of its seeds, so none "
            "can be chosen; the cells in this folder say why they failed",
            folder_, methods()[i].label)};
      }
      const auto lr = tried_[i][chosen_[i].place].arm.lr;
      down = down || lr == grid_.rates.front();
      up = up || lr == grid_.rates.back();
      progress_.say(fmt::format("tuned {}: {}", methods()[i].label, words_of_choice(i)));
    }
    return {down, up};
  }

  std::string words_of_choice(std::size_t index) const {
    const auto& chosen = chosen_[index];
    const auto& tried = tried_[index];
    return fmt::format(
        "{} with learning rate {:g}: {} {:.4g} on validation samples, chosen from {} pairs of a "
        "setting and a learning rate",
        choice_to_json(choice_of(methods()[index], tried[chosen.place].arm)).dump(),
        tried[chosen.place].arm.lr, metric(), *chosen.judged[chosen.place].final_value,
        tried.size());
  }

  Json document() const {
    Json all = Json::array();
    for (std::size_t i = 0; i < methods().size(); ++i) {
      Json arms = Json::array();
      for (std::size_t place = 0; place < tried_[i].size(); ++place) {
        const auto& [arm, trainings] = tried_[i][place];
        const auto& judged = chosen_[i].judged[place];
        arms.push_back({{"options", choice_of(methods()[i], arm).options},
                        {"lr", arm.lr},
                        {"trainings", trainings.size()},
                        {"final", json_fields::written(judged.final_value)},
                        {"as_good", judged.as_good},
                        {"bytes", json_fields::written(judged.bytes)},
                        {"chosen", place == chosen_[i].place}});
      }
      all.push_back({{"label", methods()[i].label}, {"tried", arms}});
    }
    return {{"format", "pacbench.tuning/1"},
            {"metric", metric()},
            {"within", scenario().tune->within},
            {"learning_rates", grid_.rates},
            {"methods", all}};
  }

  std::string label_of(const Choice& choice) const {
    return default_label(*catalogue_.find_method(choice.name), choice.options, catalogue_.methods);
  }

  Scenario tuned_scenario() const {
    auto tuned = scenario();
    tuned.tune.reset();
    for (std::size_t i = 0; i < tuned.methods.size(); ++i) {
      auto& method = tuned.methods[i];
      const auto& arm = tried_[i][chosen_[i].place].arm;
      // A program has no label of its options.
      const bool is_unnamed = !is_program(method) && method.label == label_of(method.choice);
      method.choice = choice_of(method, arm);
      if (is_unnamed) {
        const auto label = label_of(method.choice);
        if (std::ranges::count(tuned.methods, label, &MethodEntry::label) == 0) {
          rename(method, label, tuned.gates);
        }
      }
      method.lr = arm.lr;
      method.tried = static_cast<std::int64_t>(tried_[i].size());
      method.settings.clear();
    }
    return tuned;
  }

  static void rename(MethodEntry& method, const std::string& label, std::vector<Gate>& gates) {
    for (auto& gate : gates) {
      if (gate.method == method.label) gate.method = label;
      if (gate.over == method.label) gate.over = label;
    }
    method.label = label;
  }

  const run::RunRequest& request_;
  const Catalogue& catalogue_;
  std::string folder_;
  const RunTrainings& run_;
  Grid grid_;
  run::Progress progress_;
  std::vector<std::vector<Tried>> tried_;  ///< of each method
  std::vector<Chosen> chosen_;
};

}  // namespace

Tuned tune(const run::RunRequest& request, const Catalogue& catalogue, const std::string& folder,
           const RunTrainings& run) {
  return Tuning{request, catalogue, folder, run}.finished();
}

}  // namespace pacbench::tune
