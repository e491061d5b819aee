// signSGD with majority vote (Bernstein, Wang, Azizzadenesheli and Anandkumar 2018, arXiv
// 1802.04434, algorithm 3; 1810.05291). Each worker sends the sign of every entry, each rank counts
// the votes on its share, and the sign that won is the gradient. It is biased, has no error
// feedback and needs a learning rate much smaller than SGD's.
#include "trainer/averaging/by_shares.h"
#include "trainer/methods/method_definitions.h"

namespace pacbench::trainer {

MethodDefinition signsgd_method() {
  auto info = described("signsgd", "quantisation", "Bernstein et al. 2018, arXiv 1802.04434",
                        "majority vote over the workers' signs; one bit for each entry, each way");
  info.collectives = {"all_to_all", "all_gather"};
  return averaging(info, [](const Json&, const RunFacts&) {
    return std::make_unique<ByShares>(std::make_unique<Votes>());
  });
}

}  // namespace pacbench::trainer
