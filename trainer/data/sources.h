#pragma once

#include <functional>
#include <string>
#include <vector>

#include "trainer/data/dataset.h"

/// The data sets, each with its entry of the catalogue.
namespace pacbench::trainer {

struct Source {
  DatasetInfo info;
  std::function<Dataset::Parts(const Choice& choice, const std::string& data_folder)> load;
};

/// `digits`: the embedded handwritten digits, images at even places (counted from 0) for training,
/// at odd places for testing. Needs no folder.
Source digits_source();

/// `cifar10` and `cifar100` (A. Krizhevsky 2009) in the standard binary form. A record has one or
/// two label bytes, then the red, the green and the blue values of 1024 pixels. Reading throws
/// ConfigError when a file is missing, has another size, or holds an invalid label.
std::vector<Source> cifar_sources();

/// `tinyshakespeare`: the embedded text, cut into pieces of `info.shape[0]` characters that do not
/// overlap; the label of each character is the character that follows it. The first nine tenths of
/// the text are for training, the last tenth is for testing (A. Karpathy, nanoGPT). A token is the
/// number of a character among the text's different characters, sorted by code.
Source shakespeare_source();

}  // namespace pacbench::trainer
