"""tools/check-sanitizers builds and tests with each sanitizer, and knows no other."""
from scripts import ScriptTest


class CheckSanitizers(ScriptTest):
    def test_what_it_does_not_know_is_refused(self):
        self.assertIn("expected asan or tsan", self.run_script("check-sanitizers", "msan", codes=(1,)).stderr)

    def test_everything_passes_with_each(self):
        self.run_script("check-sanitizers")
