"""tools/check-layers finds each kind of forbidden include, and only those."""
from scripts import ScriptTest

# A file, its text, and what is said of it.
FOUND = [
    ("base/a.h", '#pragma once\n\n#include "contract/scenario/scenario.h"',
     'base/a.h:3: base may not include "contract/scenario/scenario.h"'),
    ("base/a.cc", '  #  include  "contract/scenario/scenario.h"', "may not include"),
    ("harness/a.cc", '#include "netem/session/fabric.h"', "harness may not include"),
    ("harness/a.cc", '#include "trainer/methods/method.h"', "harness may not include"),
    ("netem/a.cc", '#include "harness/plan/plan.h"', "netem may not include"),
    ("trainer/rank/a.cc", '#include "netem/session/fabric.h"', "trainer may not"),
    ("base/a.cc", "#include <ATen/Tensor.h>", "may not use torch"),
    *((f"{folder}/a.cc", "#include <torch/torch.h>", "may not use torch")
      for folder in ("base", "contract", "netem", "harness/run", "cli", "analysis/report")),
    ("harness/plan/plan.cc", "#include <CLI/CLI.hpp>", "may not use cli11"),
    ("harness/plan/plan.cc", '#include "cli/run.h"', "may not include"),
    ("base/a.cc", "#include <curl/curl.h>", "does not know"),
    ("base/a.cc", '#include "files.h"', "not a path from the root"),
    ("harness/run/a.cc", "namespace pacbench::record {\n}", "its folder's is pacbench::run"),
    ("base/a.h", "namespace pacbench::cli {\n}", "opens pacbench::cli"),
    ("harness/store/a.cc", '#include "harness/run/run.h"', "harness/run stands above it"),
    ("contract/fabric/a.h", '#include "contract/result/result.h"', "stands above it"),
    ("harness/new/a.cc", '#include "harness/run/run.h"', "harness/new is in no stratum"),
    ("analysis/report/a.cc", '#include "harness/links/fabric.h"', "may not include"),
    ("analysis/report/a.cc", '#include "harness/run/run.h"', "may not include"),
    ("analysis/CMakeLists.txt", "target_link_libraries(a PUBLIC pacbench_harness)", "may not link"),
    ("harness/CMakeLists.txt", "target_link_libraries(a PRIVATE pacbench_netem)", "may not link pacbench_netem"),
    *(("trainer/methods/a.cc", f'#include "trainer/{header}"', "methods may not include")
      for header in ("collectives/gloo_group.h", "rank/replica.h", "models/networks.h")),
]
ALLOWED = [
    ("base/a.cc", "#include <vector>\n#include <sys/wait.h>"),
    ("trainer/models/a.cc", "#include <torch/torch.h>"),
    ("trainer/methods/a.cc", '#include "trainer/collectives/group.h"\n#include "trainer/kernels/pack.h"'),
    ("cli/run.cc", '#include <CLI/CLI.hpp>\n#include "harness/plan/plan.h"'),
    ("harness/run/a.cc", '#include "harness/store/files.h"\nnamespace pacbench::run {\n}'),
    ("analysis/report/a.cc", '#include "harness/store/files.h"'),
    ("analysis/export/a.cc", "namespace pacbench::exports {\n}"),
    ("contract/fabric/a.h", "namespace pacbench::netd {\n}"),
]


class CheckLayers(ScriptTest):
    def test_what_is_forbidden_is_found(self):
        for path, text, reason in FOUND:
            with self.subTest(path=path, text=text):
                said = self.check_files("check-layers", {path: text}, code=1)
                self.assertIn(f"{path}:", said)
                self.assertIn(reason, said)

    def test_nothing_else_is(self):
        for path, text in ALLOWED:
            with self.subTest(path=path, text=text):
                self.assertEqual(self.check_files("check-layers", {path: text}, code=0), "")

    def test_the_namespace_of_another_folder_is_no_part_of_the_common_one(self):
        files = {"base/a.h": "namespace pacbench::record {\n}", "harness/record/a.h": ""}
        self.assertIn("opens pacbench::record", self.check_files("check-layers", files, code=1))

    def test_folders_that_include_one_another_in_a_circle_are_found(self):
        said = self.check_files("check-layers", {
            "netem/a/a.h": '#include "netem/b/b.h"',
            "netem/b/b.h": '#include "netem/c/c.h"',
            "netem/c/c.h": '\n#include "netem/a/a.h"',
        }, code=1)
        self.assertIn("netem/c/c.h:2: netem/c includes netem/a, which includes netem/c again", said)

    def test_a_tree_without_sources_is_not_clean(self):
        self.assertIn("no source file", self.check_files("check-layers", {}, code=1))
