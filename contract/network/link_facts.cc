#include "contract/network/link_facts.h"

#include "contract/network/network.h"

namespace pacbench {

LinkFacts link_facts(const LinkProfile& link) {
  return {link.topology, link.slower_mbit(), link.groups};
}

}  // namespace pacbench
