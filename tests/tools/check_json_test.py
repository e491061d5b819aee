"""tools/check-json finds JSON that is parsed elsewhere than in base/json/json_reader.cc, and only there."""
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check-json"

FORBIDDEN = {
    "harness/a.cc": "const auto x = Json::parse(text, nullptr, false);",
    "trainer/b.h": "auto x = nlohmann::json::parse(text);",
    "netem/c.cc": "std::cin >> document;",
    "contract/d.cc": "return Json::from_cbor(bytes);",
    "probe/e.cc": 'const auto x = R"({})"_json;',
}
ALLOWED = {
    "base/json/json_reader.cc": "return Json::parse(line, nullptr, false);",
    "cli/main.cc": "app.parse(argc, argv);",
    "harness/f.cc": "const auto x = parse_json(path, text);  // not Json::parse(text)",
    "tests/g.cc": "Json::parse(text);",
}


class CheckJson(unittest.TestCase):
    def check(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text + "\n")
            return subprocess.run([CHECK, root], capture_output=True, text=True, check=False)

    def test_each_way_to_parse_is_found_with_its_place(self):
        for name, text in FORBIDDEN.items():
            with self.subTest(name):
                done = self.check({name: text})
                self.assertEqual(done.returncode, 1)
                self.assertIn(f"{name}:1: ", done.stdout)

    def test_nothing_else_is(self):
        done = self.check(ALLOWED)
        self.assertEqual((done.returncode, done.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()
