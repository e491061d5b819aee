#include "trainer/python/adapters.h"

#include <ATen/Functions.h>
#include <pybind11/stl.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <variant>

#include "contract/catalogue/choice_json.h"
#include "trainer/averaging/averager.h"
#include "trainer/collectives/gloo_group.h"
#include "trainer/exchange/exchange_engine.h"

namespace pacbench::trainer::python {
namespace {

using Saved = std::map<std::string, std::variant<at::Tensor, std::int64_t>>;

/// Leaves out the exchange of a bucket in which any rank has a value that is not finite, as where a
/// loss scaler tries too large a scale: all ranks get NaN, and nothing of it stays in residuals.
/// Costs one all-reduce of 4 bytes a bucket. Nobody counts the bytes of a user's hook, so none are
/// declared.
class Guarded final : public AveragerAround {
 public:
  using AveragerAround::AveragerAround;

  Declares declares() const override { return Declares::kNothing; }

  Task<> average(Bucket& bucket, Group& group) override {
    const bool finite = bucket.own.isfinite().all().item<bool>();
    auto asking = group.all_reduce(at::full({1}, finite ? 0.F : 1.F), Reduction::kMax);
    const auto any = co_await asking;
    if (any.item<float>() == 0) {
      co_await inner_->average(bucket, group);
    } else {
      bucket.mean.fill_(std::numeric_limits<float>::quiet_NaN());
    }
  }
};

Choice choice_of(const std::string& text) {
  const auto document = parse_json("method", text);
  std::vector<Issue> issues;
  ObjectReader reader{document, "", issues};
  auto choice = read_choice(reader, method_infos());
  reader.finish();
  if (!issues.empty()) throw ConfigError{"method", issues};
  return choice;
}

class Saver final : public StateVisitor {
 public:
  void tensor(const std::string& name, at::Tensor& value) override {
    if (value.defined()) saved[name] = value.detach().clone();
  }
  void number(const std::string& name, std::int64_t& value) override { saved[name] = value; }

  Saved saved;
};

class Loader final : public StateVisitor {
 public:
  explicit Loader(const Saved& saved) : saved_{saved} {}

  void tensor(const std::string& name, at::Tensor& value) override {
    const auto found = saved_.find(name);
    value = found == saved_.end() ? at::Tensor{} : std::get<at::Tensor>(found->second).clone();
  }
  void number(const std::string& name, std::int64_t& value) override {
    const auto found = saved_.find(name);
    if (found == saved_.end()) throw std::invalid_argument{"the saved state has no " + name};
    value = std::get<std::int64_t>(found->second);
  }

 private:
  const Saved& saved_;
};

class DdpExchanges {
 public:
  /// `method` is an entry of a scenario as JSON. Blocks until all ranks have come.
  DdpExchanges(const StorePtr& store, const std::string& interface, int rank, int ranks,
               double timeout_s, const std::string& method, std::int64_t seed)
      : DdpExchanges{
            // Made first: a rank that a wrong option stops must not have met the others yet.
            std::make_unique<Method>(
                std::make_unique<Guarded>(make_averager(choice_of(method), {}))),
            {store, rank, ranks, std::chrono::milliseconds{std::llround(1000 * timeout_s)}},
            interface,
            seed} {}

  /// A parameter in a bucket: number, name, shape, offset, elements, whether it may be pruned,
  /// whether it is an embedding.
  using Slice = std::tuple<int, std::string, std::vector<std::int64_t>, std::int64_t, std::int64_t,
                           bool, bool>;

  void settle(const std::vector<std::vector<Slice>>& buckets) {
    Layout layout;
    for (const auto& slices : buckets) {
      BucketLayout bucket{static_cast<int>(layout.size()), 0, {}};
      for (const auto& [number, name, shape, offset, elements, prunable, embedding] : slices) {
        bucket.slices.push_back({number, name, shape, offset, elements, {}, embedding, prunable});
        bucket.elements += elements;
      }
      layout.push_back(std::move(bucket));
    }
    engine_.settle(std::move(layout));
  }

  void begin(std::int64_t iteration, double lr) {
    const std::lock_guard lock{mutex_};
    under_way_ = engine_.layout().size();
    failed_ = false;
    engine_.begin_iteration({iteration, lr, last_lr.value_or(lr)});
    last_lr = lr > 0 ? std::optional{lr} : std::nullopt;
  }

  /// Replaces `gradient`, float32[elements], and then calls `done` with None, or with words on what
  /// failed, on a thread of its own.
  void exchange(int bucket, const at::Tensor& gradient, py::object done) {
    const Held told{std::move(done)};
    const py::gil_scoped_release unlocked;
    engine_.exchange(bucket, gradient, [this, told](const std::exception_ptr& failure) {
      in_python([&] { failure ? (*told)(words_of(failure)) : (*told)(py::none()); });
      const std::lock_guard lock{mutex_};
      failed_ = failed_ || failure != nullptr;
      --under_way_;
      ended_.notify_all();
    });
  }

  /// Waits for all buckets of the iteration.
  void finish() {
    std::unique_lock lock{mutex_};
    ended_.wait(lock, [this] { return under_way_ == 0; });
    if (!failed_) engine_.finish_iteration();
  }

  std::optional<double> last_lr;  ///< of the iteration before, where it was told

  Saved state() {
    Saver saver;
    engine_.method().visit_state(saver);
    return saver.saved;
  }

  void take_state(const Saved& saved) {
    Loader loader{saved};
    engine_.method().visit_state(loader);
  }

 private:
  DdpExchanges(std::unique_ptr<Method> method, const Membership& membership,
               const std::string& interface, std::int64_t seed)
      : engine_{join_gloo_group(membership, interface), std::move(method), seed} {}

  static std::string words_of(const std::exception_ptr& failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const std::exception& error) {
      return error.what();
    }
  }

  std::mutex mutex_;
  std::condition_variable ended_;
  std::size_t under_way_ = 0;
  bool failed_ = false;
  /// The last member, so that its thread ends before anything that it uses.
  ExchangeEngine engine_;
};

}  // namespace

/// The engine's thread may need the interpreter's lock before it ends.
struct DeletedUnlocked {
  void operator()(DdpExchanges* one) const {
    const py::gil_scoped_release unlocked;
    delete one;
  }
};

void add_ddp_exchanges(py::module_& module) {
  using Unlocked = py::call_guard<py::gil_scoped_release>;
  py::class_<DdpExchanges, std::unique_ptr<DdpExchanges, DeletedUnlocked>>(module, "DdpExchanges")
      .def(py::init<const StorePtr&, const std::string&, int, int, double, const std::string&,
                    std::int64_t>(),
           Unlocked{})
      .def("settle", &DdpExchanges::settle, Unlocked{})
      .def("begin", &DdpExchanges::begin, Unlocked{})
      .def("exchange", &DdpExchanges::exchange)
      .def("finish", &DdpExchanges::finish, Unlocked{})
      .def_readwrite("last_lr", &DdpExchanges::last_lr)
      .def("state", &DdpExchanges::state)
      .def("take_state", &DdpExchanges::take_state);
}

}  // namespace pacbench::trainer::python
