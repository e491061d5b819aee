#include "trainer/methods/sparse_entries.h"

#include <ATen/Functions.h>

namespace pacbench::trainer {

SparseEntries::SparseEntries(std::int64_t elements, std::int64_t kept, bool packed)
    : code_{elements, kept, packed} {}

Task<> SparseEntries::average(at::Tensor own, at::Tensor places, bool takes_them, at::Tensor mean,
                              Group& group) const {
  const auto sent = code_.encode(own.index_select(0, places), places);
  if (takes_them) own.index_fill_(0, places, 0);

  const auto gathered = co_await group.all_gather(sent);

  mean.zero_();
  for (int rank = 0; rank < group.size(); ++rank) {
    code_.add(gathered.narrow(0, code_.words() * rank, code_.words()), mean);
  }
  mean.div_(group.size());
}

}  // namespace pacbench::trainer
