// PowerSGD (Vogels, Karimireddy and Jaggi 2019, arXiv 1905.13727, algorithms 1 and 2). Each matrix
// M, with one row for each output, travels as P = M Q and Q = Mᵀ P, two thin matrices of a few
// columns. They are found by one step of power iteration that begins at the last Q. All-reduces sum
// both over workers, first P, then Q. It is biased; the residual is M minus the mean P Qᵀ.
// Vectors, and matrices that two thin ones would not halve, travel as they are, together with P. As
// in the authors' code and in PyTorch's hook the first iterations are dense.
#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

#include "trainer/averaging/option_specs.h"
#include "trainer/encoding/random_draws.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {
namespace {

/// A parameter of a bucket as a matrix, and where it lies in the two collectives. The matrix has as
/// many rows as the parameter's first dimension; a vector is one row. A parameter that travels as
/// it is has no part in the second collective.
struct Piece {
  ParameterSlice slice;
  std::int64_t rows = 0;
  std::int64_t columns = 0;
  std::int64_t rank = 0;  ///< 0: travels as it is
  std::int64_t first_begin = 0;
  std::int64_t second_begin = 0;

  std::int64_t first_elements() const { return rank > 0 ? rows * rank : slice.elements; }
  std::int64_t second_elements() const { return columns * rank; }

  at::Tensor matrix(const at::Tensor& bucket) const {
    return Bucket::part(bucket, slice).view({rows, columns});
  }
  at::Tensor whole(const at::Tensor& first) const {
    return first.narrow(0, first_begin, slice.elements);
  }
  at::Tensor p(const at::Tensor& first) const {
    return first.narrow(0, first_begin, first_elements()).view({rows, rank});
  }
  at::Tensor q(const at::Tensor& second) const {
    return second.narrow(0, second_begin, second_elements()).view({columns, rank});
  }
};

/// A matrix travels as two thin ones where these have together at most half its elements.
Piece piece_of(const ParameterSlice& slice, std::int64_t most_rank) {
  Piece piece{slice, 1, slice.elements};
  if (slice.shape.size() < 2) return piece;
  piece.rows = slice.shape.front();
  piece.columns = slice.elements / piece.rows;
  const auto rank = std::min({most_rank, piece.rows, piece.columns});
  if (2 * rank * (piece.rows + piece.columns) <= slice.elements) piece.rank = rank;
  return piece;
}

/// Makes the columns of float[rows, columns] orthonormal, in place: Gram-Schmidt, one column after
/// another. A column of zeros stays zero.
void orthonormalise(const at::Tensor& matrix) {
  for (std::int64_t i = 0; i < matrix.size(1); ++i) {
    const auto column = matrix.narrow(1, i, 1);
    column.div_(column.norm().add(1e-8));
    const auto rest = matrix.narrow(1, i + 1, matrix.size(1) - i - 1);
    rest.sub_(column.mul((column * rest).sum(0, true)));
  }
}

class PowerSgd final : public Averager {
 public:
  explicit PowerSgd(const Json& options)
      : rank_{options.at("rank")}, dense_iterations_{options.at("dense_iterations")} {}

  Task<> settle(const Layout& layout, Group& group) override {
    for (const auto& bucket : layout) {
      auto& plan = plans_[bucket.index] = {};
      for (const auto& slice : bucket.slices) {
        auto piece = piece_of(slice, rank_);
        piece.first_begin = plan.first_elements;
        piece.second_begin = plan.second_elements;
        plan.first_elements += piece.first_elements();
        plan.second_elements += piece.second_elements();
        if (piece.rank > 0 && !q_.contains(slice.parameter)) {
          auto& q = q_[slice.parameter] = at::empty({piece.columns, piece.rank}, group.device());
          draw(q, RandomKey{});
        }
        plan.pieces.push_back(std::move(piece));
      }
    }
    co_return;
  }

  PlannedCalls traffic(const BucketLayout& bucket, const Step& step) const override {
    if (step.number <= dense_iterations_) return {dense_traffic(bucket)};
    const auto reduce = CollectiveKind::kAllReduce;
    const auto& plan = plans_.at(bucket.index);
    if (plan.second_elements == 0) return {{reduce, 4 * plan.first_elements}};
    return {{reduce, 4 * plan.first_elements}, {reduce, 4 * plan.second_elements}};
  }

  Task<> average(Bucket& bucket, Group& group) override {
    if (bucket.step.number <= dense_iterations_) {
      co_await average_dense(bucket, group);
      co_return;
    }
    const auto& plan = plans_.at(bucket.layout.index);
    const auto first = at::empty({plan.first_elements}, bucket.own.options());
    for (const auto& piece : plan.pieces) {
      if (piece.rank == 0) {
        piece.whole(first).copy_(Bucket::part(bucket.own, piece.slice));
      } else {
        piece.p(first).copy_(at::mm(piece.matrix(bucket.own), q_.at(piece.slice.parameter)));
      }
    }
    co_await group.all_reduce(first);
    first.div_(group.size());

    const auto second = at::empty({plan.second_elements}, bucket.own.options());
    for (const auto& piece : plan.pieces) {
      if (piece.rank == 0) continue;
      orthonormalise(piece.p(first));
      piece.q(second).copy_(at::mm(piece.matrix(bucket.own).t(), piece.p(first)));
    }
    if (plan.second_elements > 0) co_await group.all_reduce(second);
    second.div_(group.size());

    for (const auto& piece : plan.pieces) take_mean(piece, first, second, bucket);
  }

  Recording recording() const override { return {.iterations_to_settle = dense_iterations_}; }

  void visit_state(StateVisitor& visitor) override {
    for (auto& [parameter, q] : q_) visitor.tensor(fmt::format("parameter{}/q", parameter), q);
  }

 private:
  struct Plan {
    std::vector<Piece> pieces;
    std::int64_t first_elements = 0;
    std::int64_t second_elements = 0;
  };

  /// Fills `q` with random numbers, the same on all ranks.
  static void draw(at::Tensor& q, RandomKey key) {
    key.use = RandomUse::kSelection;
    q.copy_(random_normal(key, q.numel()).view(q.sizes()));
  }

  void take_mean(const Piece& piece, const at::Tensor& first, const at::Tensor& second,
                 Bucket& bucket) {
    const auto own = Bucket::part(bucket.own, piece.slice);
    if (piece.rank == 0) {
      Bucket::part(bucket.mean, piece.slice).copy_(piece.whole(first));
      if (bucket.keeps_rest) own.zero_();
      return;
    }
    auto& q = q_.at(piece.slice.parameter).copy_(piece.q(second));
    const auto mean = piece.matrix(bucket.mean).copy_(at::mm(piece.p(first), q.t()));
    if (bucket.keeps_rest) piece.matrix(bucket.own).sub_(mean);
    // Where a column of Q is zero, Q is drawn anew, since that column would stay zero for ever.
    if (q.abs().amax(0).min().item<float>() == 0) draw(q, bucket.shared_random());
  }

  std::int64_t rank_;
  std::int64_t dense_iterations_;
  std::map<int, Plan> plans_;    ///< of each bucket
  std::map<int, at::Tensor> q_;  ///< of each parameter that travels as P and Q: the last mean's Q
};

}  // namespace

MethodDefinition powersgd_method() {
  auto info =
      described("powersgd", "low rank", "Vogels et al. 2019, arXiv 1905.13727",
                "each matrix as two thin matrices, by two all-reduces, with error feedback");
  auto rank = option::count("rank", 1, "how many columns each of the two thin matrices has");
  rank.in_label = {.always = true, .none = ""};
  info.options = {rank,
                  option::whole("dense_iterations", 10,
                                "how many iterations at the start exchange whole gradients"),
                  option::error_feedback(true)};
  info.collectives = {"all_reduce"};
  return averaging<PowerSgd>(info);
}

}  // namespace pacbench::trainer
