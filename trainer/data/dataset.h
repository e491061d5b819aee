#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "contract/catalogue/catalogue.h"
#include "contract/catalogue/choice_json.h"
#include "contract/scenario/workload.h"

namespace pacbench::trainer {

/// A batch of samples, in the form that a model and its loss accept.
struct Batch {
  /// Images: float [batch, channels, height, width], normalised; tokens: int64 [batch, context].
  at::Tensor inputs;
  at::Tensor labels;  ///< int64 [batch]; for tokens [batch, context]: the token after each token
  std::shared_ptr<void> of_user = nullptr;  ///< a user's task has this in place of tensors
};

/// Labelled images, or pieces of text, as they are stored.
struct Samples {
  at::Tensor inputs;  ///< uint8 [count, channels, height, width] or [count, context], contiguous
  at::Tensor labels;  ///< int64 [count] or [count, context]

  std::int64_t count() const { return inputs.size(0); }
};

/// Draws `count` samples of a part, always the same ones on every machine: a test with them is
/// cheaper than with the whole part. Returns the part itself where `count` is 0.
Samples drawn_samples(const Samples& part, std::int64_t count);

/// Selects the rows of a batch in the endless stream of training samples: of each global batch of
/// workers · batch_per_worker samples, rank r takes the slice of number r.
struct BatchPosition {
  std::int64_t seed = 0;
  std::int64_t iteration = 1;  ///< from 1
  int rank = 0;
  int workers = 1;
  std::int64_t batch_per_worker = 1;
};

/// The random permutation (Fisher and Yates) of 0 .. `samples` - 1 that belongs to (seed, epoch):
/// the order in which the epoch visits the training set.
std::vector<std::int64_t> epoch_permutation(std::int64_t seed, std::int64_t epoch,
                                            std::int64_t samples);

/// A data set in memory. Const functions may be called from several threads.
class Dataset {
 public:
  /// The contents of a data set once its files are read.
  struct Parts {
    DatasetInfo info;
    Samples training;
    Samples test;
    bool augment = false;  ///< of images: random crop after padding by 4, and horizontal flip
  };

  explicit Dataset(Parts parts);

  const DatasetInfo& info() const { return parts_.info; }
  const Samples& training() const { return parts_.training; }
  const Samples& test() const { return parts_.test; }

  /// A training batch: a pure function of `position`. The stream has one permutation of the
  /// training set for each epoch, a function of seed and epoch; a batch may straddle two epochs.
  /// Augmentation depends on the seed and the place in the stream, never on threads or ranks.
  Batch training_batch(const BatchPosition& position) const;

  /// `count` samples of a part from `first` on, in stored order, without augmentation.
  Batch plain_batch(const Samples& part, std::int64_t first, std::int64_t count) const;

  /// Returns `per_class` training images of each class, or all images of a class that has fewer,
  /// class after class and without augmentation. `seed` and `draw`, a number from 0, determine
  /// which images. For text, returns the fewest pieces that hold at least per_class · classes
  /// tokens, or all pieces where there are fewer.
  Batch balanced_batch(std::int64_t seed, std::int64_t per_class, std::int64_t draw = 0) const;

 private:
  /// Converts contiguous stored samples to model inputs. Each channel of an image gets mean 0 and
  /// deviation 1 over the training set, by constants that are computed when the set is loaded.
  Batch prepared(const Samples& samples) const;

  using Permutation = std::shared_ptr<const std::vector<std::int64_t>>;
  /// The permutation of the training set for an epoch. Keeps the last one of an even epoch and the
  /// last of an odd one, since all ranks ask for the same in all iterations of an epoch.
  Permutation order_of(std::int64_t seed, std::int64_t epoch) const;

  struct KeptOrder {
    std::int64_t seed = 0;
    std::int64_t epoch = -1;
    Permutation permutation;
  };

  Parts parts_;
  /// Per channel, the normalised value of each of the 256 pixel values; empty for tokens.
  std::vector<std::array<float, 256>> value_of_pixel_;
  mutable std::mutex mutex_;
  mutable KeptOrder kept_[2];
};

/// All data sets: shapes, files and options.
std::vector<DatasetInfo> dataset_catalogue();

/// The catalogue's entry of the data set `name`. Throws ConfigError where the catalogue has none.
DatasetInfo dataset_info(const std::string& name);

/// Reads a data set: its files in `data_folder`/<name>, or no file if it is embedded in the
/// program. `validation_samples` samples of the training set, the same on every machine, are taken
/// out of it and replace the test set. Data sets that differ only in a transform lose the same
/// images. Throws ConfigError that says what is missing or wrong, and for a file also how to import
/// the data set.
std::shared_ptr<const Dataset> load_dataset(const Choice& choice, const std::string& data_folder,
                                            std::int64_t validation_samples = 0);

/// The data set of a workload. The workload's validation samples, if any, are taken out of the
/// training set and replace the test set. Throws as load_dataset does.
std::shared_ptr<const Dataset> dataset_of(const Workload& workload, const std::string& data_folder);

}  // namespace pacbench::trainer
