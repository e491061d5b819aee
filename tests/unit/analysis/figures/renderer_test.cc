#include "analysis/figures/renderer.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/files.h"
#include "tests/unit/contract/refusals.h"

namespace pacbench::figures {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// Runs a script in place of Python: PACBENCH_PYTHON names it.
class Plots : public ::testing::Test {
 protected:
  void use(const std::string& script) const {
    const auto path = folder_.path() + "/python";
    std::ofstream{path} << "#!/bin/sh\n" << script << '\n';
    chmod(path.c_str(), 0700);
    setenv("PACBENCH_PYTHON", path.c_str(), 1);
  }
  void TearDown() override { unsetenv("PACBENCH_PYTHON"); }

  static std::string complaint() {
    return testing::refusal_words<std::exception>([] { run_plots({"html"}, Json::object()); });
  }

  TemporaryFolder folder_;
};

TEST_F(Plots, GetTheDocumentOnStandardInputAndGiveWhatWasPrinted) {
  use("echo \"$@\"; cat");
  EXPECT_EQ(run_plots({"html"}, {{"title", "a"}}), "-m pacbench_plots html\n{\"title\":\"a\"}");
}

TEST_F(Plots, FindTheirPackage) {
  use("cat > /dev/null; echo \"$PYTHONPATH\"");
  EXPECT_EQ(run_plots({"html"}, Json::object()).substr(0, plots_folder().size()), plots_folder());
}

TEST_F(Plots, SayHowToGetAPackageThatIsMissing) {
  use("cat > /dev/null; echo it lacks plotly >&2; exit 69");
  EXPECT_THAT(complaint(), HasSubstr("it lacks plotly; run tools/setup"));
  EXPECT_THROW(run_plots({"html"}, Json::object()), ConfigError);
}

TEST_F(Plots, SayHowToGetAPythonThatIsMissing) {
  setenv("PACBENCH_PYTHON", "/nonexistent/python", 1);
  EXPECT_THAT(complaint(), AllOf(HasSubstr("/nonexistent/python"), HasSubstr("PACBENCH_PYTHON")));
}

TEST_F(Plots, PassOnWhatAFailureSaid) {
  use("cat > /dev/null; echo broken >&2; exit 1");
  EXPECT_THAT(complaint(), AllOf(HasSubstr("exit code 1"), HasSubstr("broken")));
}

}  // namespace
}  // namespace pacbench::figures
