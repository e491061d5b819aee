// pacbench-worker: one rank of a cell, or one pre-training. Reads one JSON document from standard
// input and writes JSON lines to standard output; what goes wrong also stands on standard error.
#include <signal.h>
#include <sys/prctl.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <iterator>
#include <memory>
#include <string>

#include <torch/version.h>

#include "spec/catalogue.h"
#include "spec/worker_event.h"
#include "spec/worker_spec.h"
#include "trainer/data/dataset.h"
#include "trainer/ddp/rank.h"
#include "trainer/methods/method.h"
#include "trainer/models/model.h"
#include "trainer/training/pretrain.h"

namespace pacbench {
namespace {

Catalogue catalogue() {
  Catalogue all;
  all.torch_version = TORCH_VERSION;
  for (const auto& entry : method_table()) all.methods.push_back(entry.info);
  all.models = model_catalogue();
  all.datasets = dataset_catalogue();
  return all;
}

int fail(const WorkerSpec& spec, std::int64_t iteration, const std::string& message) {
  std::cerr << "rank " << spec.rank << ": " << message << std::endl;
  std::cout << json_text(to_json(FailedEvent{spec.rank, iteration, message})) << std::endl;
  // The other ranks may be gone: waiting for their connections to end in order could take long.
  std::_Exit(1);
}

int run_rank(const WorkerSpec& spec) {
  std::int64_t iteration = 0;
  std::unique_ptr<Rank> rank;
  try {
    rank = std::make_unique<Rank>(spec);
    rank->train();
    return 0;
  } catch (const std::exception& error) {
    if (rank) {
      iteration = rank->iteration();
      rank->flush();
    }
    return fail(spec, iteration, error.what());
  }
}

int run(int argc, char** argv) {
  if (argc == 2 && std::string{argv[1]} == "--catalog") {
    std::cout << to_json(catalogue()).dump(2) << std::endl;
    return 0;
  }
  if (argc != 1) {
    std::cerr << "usage: pacbench-worker < SPECIFICATION.json, or pacbench-worker --catalog\n";
    return 2;
  }
  const std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
  const auto spec = worker_spec_from_json(parse_json("worker specification", text));
  if (spec.role != "pretrain") return run_rank(spec);
  // Ranks die with their daemon; this one is pacbench's own child, and must not outlive it.
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  return run_pretraining(spec);
}

}  // namespace
}  // namespace pacbench

int main(int argc, char** argv) {
  try {
    return pacbench::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "pacbench-worker: " << error.what() << std::endl;
    return 1;
  }
}
