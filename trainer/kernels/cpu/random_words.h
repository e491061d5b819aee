#pragma once

#include "trainer/kernels/philox.h"

// Each instruction set's vectors.h includes this header at its end, hence its names are local to
// the files that are compiled for one set. vectors.h first defines, in namespace
// pacbench::trainer::raw and with internal linkage:
//
// Words: a vector of words. broadcast(word) puts the word into every lane.
// PhiloxBlocks: kBlocks blocks at once, from a stream and the number of the first one;
// mix(key0, key1) is one round, interleave(out) writes two Words in the order of the elements.
namespace pacbench::trainer::raw {
namespace {

/// The keys of a stream's rounds, in all lanes. They are made once, since making them takes as long
/// as a round.
struct RoundKeys {
  Words words[Philox4x32::kRounds][2];

  explicit RoundKeys(const PhiloxStream& stream) {
    std::uint32_t key0 = stream.key[0];
    std::uint32_t key1 = stream.key[1];
    for (auto& round : words) {
      round[0] = broadcast(key0);
      round[1] = broadcast(key1);
      key0 += Philox4x32::kWeyl0;
      key1 += Philox4x32::kWeyl1;
    }
  }
};

/// Random words of 8 · PhiloxBlocks::kBlocks elements, in the order of the elements.
struct RandomWords {
  Words parts[4];

  /// Computes two sets of blocks side by side, since the rounds of one set wait for each other.
  RandomWords(const PhiloxStream& stream, const RoundKeys& keys, std::uint32_t first_block) {
    PhiloxBlocks first{stream, first_block};
    PhiloxBlocks second{stream, first_block + PhiloxBlocks::kBlocks};
    for (const auto& round : keys.words) {
      first.mix(round[0], round[1]);
      second.mix(round[0], round[1]);
    }
    first.interleave(parts);
    second.interleave(parts + 2);
  }
};

}  // namespace
}  // namespace pacbench::trainer::raw
