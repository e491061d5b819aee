#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"

namespace pacbench::trainer {

/// The catalogue's entries of `cifar10` and `cifar100`.
std::vector<DatasetInfo> cifar_infos();

/// Reads CIFAR-10 or CIFAR-100 (A. Krizhevsky 2009) in the standard binary form. A record has one
/// or two label bytes, then the red, the green and the blue values of 1024 pixels. Throws
/// ConfigError when a file is missing, has another size, or holds an invalid label.
std::shared_ptr<const Dataset> load_cifar(const Choice& choice, const std::string& data_folder);

}  // namespace pacbench::trainer
