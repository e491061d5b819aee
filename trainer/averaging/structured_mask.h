#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "trainer/averaging/bucket.h"

namespace pacbench::trainer {

/// Which filters (places along the first dimension) and input channels (along the second) of a
/// layer's weights are kept: ascending int64. A tensor is undefined where all are kept.
struct StructuredMask {
  at::Tensor filters;
  at::Tensor channels;

  bool keeps_all() const { return !filters.defined() && !channels.defined(); }
  /// The kept weights, one after another: a smaller dense tensor, flat.
  at::Tensor compact(const at::Tensor& weights) const;
  /// The inverse of compact: writes `kept` to its places in `weights`, zero everywhere else.
  void expand(const at::Tensor& kept, at::Tensor weights) const;
  /// Sets what is not kept to zero, in place.
  void zero_outside(at::Tensor weights) const;
};

/// Says how many filters and channels of each layer are kept. Layers are the weights of
/// convolutions and linear layers. The last layer keeps its filters, which are the classes, and the
/// first layer its channels, which are the inputs. Counts follow from shapes alone, so that all
/// ranks know all sizes. Which filters and channels are kept follows from scores that all ranks
/// share.
class Structure {
 public:
  struct Options {
    double pruning_ratio = 0;  ///< share of a layer's filters and channels to prune, in [0, 1)
    bool filters = true;
    bool channels = false;
  };

  Structure() = default;
  Structure(const Layout& layout, const Options& options);

  /// Whether all filters and channels of the model are kept.
  bool keeps_all() const { return scores_ == 0; }
  /// Throws std::invalid_argument, naming `method`, when something is to be pruned and no layer has
  /// enough filters or channels for it.
  void require_some(const char* method) const;
  /// The number of kept elements of a parameter; parameters that are no layer are kept whole.
  std::int64_t kept_of(const ParameterSlice& slice) const;
  std::int64_t kept_of(const BucketLayout& bucket) const;
  /// The number of scores of all layers together.
  std::int64_t score_count() const { return scores_; }

  /// float[score_count()] on `device`: the squared norms of the filters and channels that may be
  /// pruned.
  at::Tensor scores(const std::vector<at::Tensor>& weights, c10::Device device) const;
  /// The masks of `parameters` parameters. A layer keeps the filters and channels of largest score,
  /// the first of equal ones.
  std::vector<StructuredMask> masks(const at::Tensor& scores, std::size_t parameters) const;

 private:
  /// The filters or channels along one dimension of a layer.
  struct Groups {
    std::int64_t dimension = 0;
    std::int64_t count = 0;
    std::int64_t kept = 0;
    std::int64_t first_score = 0;
  };

  void add(const ParameterSlice& slice, std::int64_t dimension);

  double pruning_ratio_ = 0;
  std::map<int, std::vector<Groups>> layers_;  ///< by parameter
  std::int64_t scores_ = 0;
};

}  // namespace pacbench::trainer
