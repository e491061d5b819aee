"""tools/lint passes a correct file and finds the mistake in another."""
from scripts import ROOT, ScriptTest, main


class Lint(ScriptTest):
    def test_a_file_in_order_passes(self):
        self.run_script("lint", "base/cores.cc")

    def test_a_mistake_is_found(self):
        mistake = self.folder / "mistake.cc"
        mistake.write_text("#include <string>\nbool f(const std::string& s) { return s.size() == 0; }\n")
        said = self.run_script("lint", mistake, codes=range(1, 256)).stdout
        self.assertIn("mistake.cc:2", said)


if __name__ == "__main__":
    main()
