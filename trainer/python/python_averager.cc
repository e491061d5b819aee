#include "trainer/python/python_averager.h"

#include <ATen/Functions.h>
#include <pybind11/stl.h>

#include <map>
#include <stdexcept>
#include <string>

#include "contract/catalogue/choice_json.h"
#include "contract/catalogue/python_name.h"
#include "trainer/methods/method.h"
#include "trainer/methods/with_defaults.h"
#include "trainer/python/coroutine.h"
#include "trainer/python/state.h"

namespace pacbench::trainer::python {
namespace {

/// The averagers of the methods inside of `adapter`'s.
std::vector<std::unique_ptr<Averager>> inner_of(const py::object& adapter, const RunFacts& run) {
  std::vector<std::unique_ptr<Averager>> inner;
  for (const auto& text : adapter.attr("inner")().cast<std::vector<std::string>>()) {
    auto choice = choice_from_canonical_json(parse_json("method", text));
    if (!is_users_class(choice.name)) choice = with_defaults(choice.name, choice.options);
    inner.push_back(make_averager(choice, run));
  }
  return inner;
}

/// Drives coroutines in Python: runs each up to its next collective on the rank's executor, and
/// carries the collective out by the group, so that it is ordered, counted and timed as those of
/// methods in C++. The bytes that it declares are those of the calls that it made.
class PythonAverager final : public PlacedAverager {
 public:
  PythonAverager(const py::object& adapter, const RunFacts& run)
      : adapter_{adapter}, inner_{inner_of(adapter, run)} {}

  Task<> settle(const Layout& layout, Group& group) override {
    co_await PlacedAverager::settle(layout, group);
    for (auto& inner : inner_) co_await inner->settle(layout, group);
    in_python([&] {
      py::list buckets;
      for (const auto& bucket : layout) {
        py::list slices;
        for (const auto& slice : bucket.slices) {
          const auto kept = slice.mask.defined() ? py::cast(slice.mask) : py::none{};
          slices.append(py::make_tuple(slice.name, slice.shape, slice.offset, slice.elements,
                                       slice.parameter, kept));
        }
        buckets.append(py::make_tuple(bucket.index, bucket.elements, slices));
      }
      (*adapter_).attr("settle")(buckets, rank_, ranks_);
    });
  }

  Declares declares() const override { return Declares::kAfter; }

  std::vector<PlannedCollective> traffic(const BucketLayout& bucket, const Step&) const override {
    return calls_.at(bucket.index);
  }

  /// Throws std::invalid_argument inside of error feedback: what a class leaves out, it keeps.
  Task<> average(Bucket& bucket, Group& group) override {
    if (bucket.keeps_rest) {
      throw std::invalid_argument{
          "a class in Python keeps what it leaves out itself, so it cannot be inside of a method "
          "with error feedback; use that method without it"};
    }
    auto& calls = calls_[bucket.layout.index];
    calls.clear();
    const auto coroutine = in_python([&] {
      return Held{(*adapter_).attr("begin")(bucket.layout.index, bucket.own, bucket.step.number,
                                            bucket.step.lr)};
    });
    auto stop = go_on(adapter_, coroutine, std::nullopt);
    while (!stop.ended()) {
      at::Tensor answer;
      if (stop.call) {
        calls.push_back(plan_of(*stop.call, group.rank()));
        auto pending = issue(*stop.call, group);
        answer = co_await pending;
      } else {
        auto& inner = *inner_.at(*stop.inner);
        auto part = bucket;
        part.own = stop.values;
        part.mean = stop.keeps_rest ? at::empty_like(stop.values) : stop.values;
        part.keeps_rest = stop.keeps_rest;
        const auto declare = [&] {
          const auto called = inner.traffic(bucket.layout, bucket.step);
          calls.insert(calls.end(), called.begin(), called.end());
        };
        const bool before = inner.declares() == Declares::kBefore;
        if (before) declare();
        co_await inner.average(part, group);
        if (!before) declare();
        answer = stop.keeps_rest ? at::stack({part.mean, part.own}) : part.mean;
      }
      stop = go_on(adapter_, coroutine, answer);
    }
    if (stop.values.data_ptr() != bucket.mean.data_ptr()) bucket.mean.copy_(stop.values);
  }

  Task<> finish_iteration(Group& group) override {
    for (auto& inner : inner_) co_await inner->finish_iteration(group);
  }

  std::vector<PlannedCollective> finish_traffic() const override {
    std::vector<PlannedCollective> calls;
    for (const auto& inner : inner_) {
      const auto called = inner->finish_traffic();
      calls.insert(calls.end(), called.begin(), called.end());
    }
    return calls;
  }

  void visit_state(StateVisitor& visitor) override {
    in_python([&] { visit_python(visitor, "averager", *adapter_); });
    for (std::size_t number = 0; number < inner_.size(); ++number) {
      PrefixedVisitor own{"inner" + std::to_string(number) + "/", visitor};
      inner_[number]->visit_state(own);
    }
  }

 private:
  Held adapter_;
  std::vector<std::unique_ptr<Averager>> inner_;
  std::map<int, std::vector<PlannedCollective>> calls_;  ///< of each bucket, in this iteration
};

}  // namespace

std::unique_ptr<Averager> python_averager(const py::object& adapter, const RunFacts& run) {
  return std::make_unique<PythonAverager>(adapter, run);
}

}  // namespace pacbench::trainer::python
