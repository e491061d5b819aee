#include <fmt/format.h>
#include <fmt/ranges.h>

#include "contract/catalogue/catalogue.h"

namespace pacbench {

std::string misfit(const ModelInfo& model, const DatasetInfo& dataset) {
  if (dataset.input != model.input) {
    return fmt::format(
        "found \"{}\", a model for {}, but data set \"{}\" has {}; expected a model for {}",
        model.name, model.input, dataset.name, dataset.input, dataset.input);
  }
  if (dataset.input != "images") return "";
  const auto& shape = dataset.shape;
  const bool channels_fit = model.channels == 0 || shape.at(0) == model.channels;
  if (channels_fit && shape.at(1) >= model.min_side && shape.at(2) >= model.min_side) return "";
  return fmt::format(
      "found \"{}\", which takes images of {} channels and at least {}x{} pixels, but those of "
      "data set \"{}\" have {}x{} pixels and {} channels; expected a model that takes these "
      "images, or another data set",
      model.name, model.channels == 0 ? "any number of" : std::to_string(model.channels),
      model.min_side, model.min_side, dataset.name, shape.at(1), shape.at(2), shape.at(0));
}

}  // namespace pacbench
