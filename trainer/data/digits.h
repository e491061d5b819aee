#pragma once

#include <memory>
#include <string>

#include "trainer/data/dataset.h"

namespace pacbench::trainer {

/// The catalogue's entry of `digits`.
DatasetInfo digits_info();

/// The embedded handwritten digits: images at even places (counted from 0) for training, at odd
/// places for testing. Needs no folder.
std::shared_ptr<const Dataset> load_digits(const Choice& choice, const std::string& data_folder);

}  // namespace pacbench::trainer
