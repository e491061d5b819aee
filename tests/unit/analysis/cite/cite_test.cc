#include "analysis/cite/cite.h"

#include "tests/unit/contract/matchers.h"

namespace pacbench::cite {
namespace {

TEST(Cite, MakesAnEntryOfAPaperAsTheCatalogueNamesIt) {
  EXPECT_THAT(
      entries_of("Wen et al. 2017, arXiv 1705.07878"),
      ElementsAre(AllOf(HasSubstr("@misc{wen2017,"), HasSubstr("author = {Wen and others}"),
                        HasSubstr("{TernGrad: Ternary"), HasSubstr("eprint = {1705.07878}"))));
  EXPECT_THAT(entries_of("Stich, Cordonnier and Jaggi 2018, arXiv 1809.07599"),
              ElementsAre(HasSubstr("author = {Stich and Cordonnier and Jaggi}")));
  EXPECT_THAT(entries_of("Thakur et al. 2005, doi 10.1177/1094342005051521"),
              ElementsAre(HasSubstr("doi = {10.1177/1094342005051521}")));
  EXPECT_THAT(entries_of("Li et al. 2014, OSDI, \"Scaling distributed machine learning\""),
              ElementsAre(AllOf(HasSubstr("howpublished = {OSDI}"), HasSubstr("{Scaling"))));
  EXPECT_EQ(entries_of("A 2023, arXiv 2305.17333; B et al. 2023, arXiv 2306.10015").size(), 2U);
}

Catalogue two_methods() {
  Catalogue catalogue;
  catalogue.methods.resize(2);
  catalogue.methods[0].name = "topk";
  catalogue.methods[0].paper = "Aji and Heafield 2017, arXiv 1704.05021";
  catalogue.methods[1].name = "fp16";
  catalogue.methods[1].paper = "Micikevicius et al. 2018, arXiv 1710.03740";
  return catalogue;
}

TEST(Cite, NamesPacbenchTheRunAndThePapersOfItsMethods) {
  const CitedRun run{"wan 100 %",        "0.4.0", "abc123",
                     "0123456789abcdef", "ff00",  {"topk", "program"}};
  const auto named = bibtex(run, two_methods(), false);
  EXPECT_THAT(named, AllOf(HasSubstr("@software{pacbench,"), HasSubstr("commit abc123"),
                           HasSubstr("@misc{pacbench-run-0123456789ab,"), HasSubstr("wan 100 \\%"),
                           HasSubstr("SHA-256 of result.json ff00"), HasSubstr("aji2017"),
                           Not(HasSubstr("micikevicius"))));
  const auto blind = bibtex(run, two_methods(), true);
  EXPECT_THAT(blind, AllOf(HasSubstr("0123456789ab"), Not(HasSubstr("abc123")),
                           Not(HasSubstr("wan 100")), Not(HasSubstr("author = {{the"))));
}

}  // namespace
}  // namespace pacbench::cite
