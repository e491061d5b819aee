#pragma once

#include <memory>
#include <string>

#include "trainer/data/dataset.h"

namespace pacbench::trainer {

/// The catalogue's entry of `tinyshakespeare`.
DatasetInfo shakespeare_info();

/// The embedded text, cut into pieces of `info().shape[0]` characters that do not overlap; the
/// label of each character is the character that follows it. The first nine tenths of the text are
/// for training, the last tenth is for testing (A. Karpathy, nanoGPT). A token is the number of a
/// character among the text's different characters, sorted by code.
std::shared_ptr<const Dataset> load_shakespeare(const Choice& choice,
                                                const std::string& data_folder);

}  // namespace pacbench::trainer
