"""tools/check-layers finds each kind of forbidden include, and only those."""
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check-layers"


class CheckLayers(unittest.TestCase):
    def check(self, **files):
        """Exit code and output for a tree with these files (path: text)."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                file = Path(root, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            done = subprocess.run([CHECK, root], capture_output=True, text=True, check=False)
            return done.returncode, done.stdout + done.stderr

    def assert_found(self, path, text, reason):
        code, output = self.check(**{path: text})
        self.assertEqual(code, 1, output)
        self.assertIn(f"{path}:", output)
        self.assertIn(reason, output)

    def assert_allowed(self, path, text):
        self.assertEqual(self.check(**{path: text}), (0, ""))

    def test_the_project_itself_is_clean(self):
        done = subprocess.run([CHECK], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_an_upward_include_is_found_with_its_line(self):
        code, output = self.check(**{"base/a.h": '#pragma once\n\n#include "contract/scenario/scenario.h"\n'})
        self.assertEqual(code, 1)
        self.assertIn('base/a.h:3: base may not include "contract/scenario/scenario.h"', output)

    def test_programs_do_not_see_each_other(self):
        reason = "harness may not include"
        self.assert_found("harness/a.cc", '#include "netem/session/fabric.h"', reason)
        self.assert_found("harness/a.cc", '#include "trainer/methods/method.h"', reason)
        self.assert_found("netem/a.cc", '#include "harness/plan/plan.h"', "netem may not include")
        self.assert_found("trainer/rank/a.cc", '#include "netem/session/fabric.h"', "trainer may not")

    def test_only_the_trainer_uses_torch(self):
        for folder in ("base", "contract", "netem", "harness/run", "cli", "analysis/report"):
            self.assert_found(f"{folder}/a.cc", "#include <torch/torch.h>", "may not use torch")
            self.assert_found(f"{folder}/a.cc", "#include <ATen/Tensor.h>", "may not use torch")
        self.assert_allowed("trainer/models/a.cc", "#include <torch/torch.h>")

    def test_only_the_command_line_uses_cli11(self):
        self.assert_found("harness/plan/plan.cc", "#include <CLI/CLI.hpp>", "may not use cli11")
        self.assert_allowed("cli/run.cc", "#include <CLI/CLI.hpp>")

    def test_the_harness_does_not_look_into_its_command_line(self):
        self.assert_found("harness/plan/plan.cc", '#include "cli/run.h"', "may not include")
        self.assert_allowed("cli/run.cc", '#include "harness/plan/plan.h"')

    def test_a_file_opens_the_namespace_of_its_folder(self):
        self.assert_found("harness/run/a.cc", "namespace pacbench::record {\n}\n", "its folder's is pacbench::run")
        self.assert_found("base/a.h", "namespace pacbench::cli {\n}\n", "opens pacbench::cli")
        code, output = self.check(**{"base/a.h": "namespace pacbench::record {\n}\n", "harness/record/a.h": ""})
        self.assertIn("opens pacbench::record", output)
        self.assert_allowed("harness/run/a.cc", "namespace pacbench::run {\n}\n")
        self.assert_allowed("analysis/export/a.cc", "namespace pacbench::exports {\n}\n")
        self.assert_allowed("contract/fabric/a.h", "namespace pacbench::netd {\n}\n")

    def test_a_stratum_does_not_look_up(self):
        reason = "harness/run stands above it"
        self.assert_found("harness/store/a.cc", '#include "harness/run/run.h"', reason)
        self.assert_allowed("harness/run/a.cc", '#include "harness/store/files.h"')
        self.assert_found("contract/fabric/a.h", '#include "contract/result/result.h"', "stands above it")

    def test_a_folder_without_a_stratum_is_a_decision_to_be_made(self):
        self.assert_found("harness/new/a.cc", '#include "harness/run/run.h"', "harness/new is in no stratum")

    def test_what_reads_finished_runs_knows_no_links(self):
        self.assert_found("analysis/report/a.cc", '#include "harness/links/fabric.h"', "may not include")
        self.assert_found("analysis/report/a.cc", '#include "harness/run/run.h"', "may not include")
        self.assert_allowed("analysis/report/a.cc", '#include "harness/store/files.h"')
        self.assert_found("analysis/CMakeLists.txt", "target_link_libraries(a PUBLIC pacbench_harness)", "may not link")

    def test_folders_that_include_one_another_in_a_circle_are_found(self):
        code, output = self.check(**{
            "netem/a/a.h": '#include "netem/b/b.h"\n',
            "netem/b/b.h": '#include "netem/c/c.h"\n',
            "netem/c/c.h": '\n#include "netem/a/a.h"\n',
        })
        self.assertEqual(code, 1)
        self.assertIn("netem/c/c.h:2: netem/c includes netem/a, which includes netem/c again", output)

    def test_methods_see_the_group_but_no_implementation(self):
        allowed = '#include "trainer/collectives/group.h"\n#include "trainer/kernels/pack.h"\n'
        self.assert_allowed("trainer/methods/a.cc", allowed)
        for header in ("collectives/gloo_group.h", "rank/replica.h", "models/networks.h"):
            self.assert_found(
                "trainer/methods/a.cc", f'#include "trainer/{header}"', "methods may not include"
            )

    def test_an_unknown_library_is_a_decision_to_be_made(self):
        self.assert_found("base/a.cc", "#include <curl/curl.h>", "does not know")

    def test_includes_are_paths_from_the_root(self):
        self.assert_found("base/a.cc", '#include "files.h"', "not a path from the root")

    def test_standard_and_kernel_headers_are_free(self):
        self.assert_allowed("base/a.cc", "#include <vector>\n#include <sys/wait.h>\n")

    def test_spacing_does_not_hide_an_include(self):
        self.assert_found("base/a.cc", '  #  include  "contract/scenario/scenario.h"', "may not include")

    def test_forbidden_links_are_found(self):
        text = "target_link_libraries(pacbench_harness PRIVATE pacbench_netem)\n"
        self.assert_found("harness/CMakeLists.txt", text, "may not link pacbench_netem")

    def test_a_tree_without_sources_is_not_clean(self):
        code, output = self.check()
        self.assertEqual(code, 1)
        self.assertIn("no source file", output)


if __name__ == "__main__":
    unittest.main()
