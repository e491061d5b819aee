#pragma once

#include <memory>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"

/// The data sets, each with its catalogue entries.
namespace pacbench::trainer {

/// The catalogue's entry of `digits`.
DatasetInfo digits_info();

/// The embedded handwritten digits: images at even places (counted from 0) for training, at odd
/// places for testing. Needs no folder.
std::shared_ptr<const Dataset> load_digits(const Choice& choice, const std::string& data_folder);

/// The catalogue's entries of `cifar10` and `cifar100`.
std::vector<DatasetInfo> cifar_infos();

/// Reads CIFAR-10 or CIFAR-100 (A. Krizhevsky 2009) in the standard binary form. A record has one
/// or two label bytes, then the red, the green and the blue values of 1024 pixels. Throws
/// ConfigError when a file is missing, has another size, or holds an invalid label.
std::shared_ptr<const Dataset> load_cifar(const Choice& choice, const std::string& data_folder);

/// The catalogue's entry of `tinyshakespeare`.
DatasetInfo shakespeare_info();

/// The embedded text, cut into pieces of `info().shape[0]` characters that do not overlap; the
/// label of each character is the character that follows it. The first nine tenths of the text are
/// for training, the last tenth is for testing (A. Karpathy, nanoGPT). A token is the number of a
/// character among the text's different characters, sorted by code.
std::shared_ptr<const Dataset> load_shakespeare(const Choice& choice,
                                                const std::string& data_folder);

}  // namespace pacbench::trainer
