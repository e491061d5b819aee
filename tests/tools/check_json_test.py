"""tools/check-json finds JSON that is parsed elsewhere than in base/json/json_reader.cc, and only there."""
from scripts import ScriptTest

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


class CheckJson(ScriptTest):
    def test_each_way_to_parse_is_found_with_its_place(self):
        said = self.check_files("check-json", FORBIDDEN, code=1)
        for name in FORBIDDEN:
            self.assertIn(f"{name}:1: ", said)

    def test_nothing_else_is(self):
        self.assertEqual(self.check_files("check-json", ALLOWED, code=0), "")
