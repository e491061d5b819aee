// pacbench-worker runs one rank of a cell, all ranks of a cell, one pre-training, one rank that
// measures, one profile (of a model or of exchanges), or one computation of exchange costs. It
// reads one JSON document from standard input and writes JSON lines to standard output. With
// --catalog or --devices it reads nothing and prints one JSON document. Errors go to standard
// error; when a rank of a cell fails, the last line on standard output reports the error too.
#include <signal.h>
#include <torch/version.h>

#include <exception>
#include <iostream>
#include <iterator>
#include <string>

#include "contract/catalogue/catalogue.h"
#include "contract/worker/gpus.h"
#include "trainer/data/dataset.h"
#include "trainer/methods/method.h"
#include "trainer/models/model.h"
#include "trainer/rank/device.h"
#include "trainer/roles/worker.h"

namespace pacbench::trainer {
namespace {

Catalogue catalogue() {
  Catalogue all;
  all.torch_version = TORCH_VERSION;
  all.methods = method_infos();
  all.models = model_catalogue();
  all.datasets = dataset_catalogue();
  return all;
}

int run(int argc, char** argv) {
  if (argc == 2 && std::string{argv[1]} == "--catalog") {
    std::cout << to_json(catalogue()).dump(2) << std::endl;
    return 0;
  }
  if (argc == 2 && std::string{argv[1]} == "--devices") {
    std::cout << to_json(devices()).dump(2) << std::endl;
    return 0;
  }
  if (argc != 1) {
    std::cerr << "usage: pacbench-worker < SPECIFICATION.json, or pacbench-worker --catalog, or "
                 "pacbench-worker --devices\n";
    return 2;
  }
  const std::string text{std::istreambuf_iterator<char>{std::cin}, {}};
  return run_worker(parse_json("worker specification", text));
}

}  // namespace
}  // namespace pacbench::trainer

int main(int argc, char** argv) {
  // With SIGXFSZ ignored, a write beyond the limit on file sizes (ulimit -f) fails and is reported
  // with the file's name.
  ::signal(SIGXFSZ, SIG_IGN);
  try {
    return pacbench::trainer::run(argc, argv);
  } catch (const std::exception& error) {
    std::cerr << "pacbench-worker: " << error.what() << std::endl;
    return 1;
  }
}
