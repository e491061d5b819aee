"""tools/check-types finds each name that two files define, and only those."""
import subprocess
import tempfile
import unittest
from pathlib import Path

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check-types"


def within(namespace, text):
    return f"namespace {namespace} {{\n{text}\n}}\n"


class CheckTypes(unittest.TestCase):
    def check(self, files, *options):
        """Exit code and output for a tree with these files (path: text)."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                file = Path(root, path)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            done = subprocess.run(
                [CHECK, *options, root], capture_output=True, text=True, check=False
            )
            return done.returncode, done.stdout + done.stderr

    def both(self, text, other=None):
        """The check's answer where two headers of base/ say this."""
        return self.check(
            {
                "base/a.h": within("pacbench", text),
                "base/b.h": within("pacbench", text if other is None else other),
            }
        )

    def assert_found(self, name, text, other=None):
        code, output = self.both(text, other)
        self.assertEqual(code, 1, output)
        self.assertIn(f"base/b.h:2: pacbench::{name} is also defined at base/a.h:2", output)

    def assert_allowed(self, text, other=None):
        self.assertEqual(self.both(text, other), (0, ""))

    def test_the_project_itself_is_clean(self):
        done = subprocess.run([CHECK], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stdout), (0, ""))

    def test_every_kind_of_type_is_compared(self):
        self.assert_found("Need", "struct Need { int a; };", "struct Need { int a, b; };")
        self.assert_found("Need", "class Need final : public Base<int> { };")
        self.assert_found("Need", "class alignas(8) [[nodiscard]] Need { };")
        self.assert_found("Need", "union Need { int a; };")
        self.assert_found("Need", "enum class Need : int { kA };")
        self.assert_found("Need", "using Need = int;", "struct Need { };")
        self.assert_found("Need", "template <class T, class U = V<int>> struct Need { };")

    def test_what_the_linker_merges_is_compared(self):
        self.assert_found("f(int a)", "inline int f(int a) { return a; }")
        self.assert_found("f(T a)", "template <class T> T f(T a) { return a; }")
        self.assert_found("kA", "inline constexpr int kA = 1;")
        self.assert_found("kA", "inline const std::vector<int> kA{1, 2};")

    def test_overloads_members_and_declarations_are_not(self):
        self.assert_allowed("inline int f(int a) { return a; }", "inline int f(A a) { return 1; }")
        self.assert_allowed("inline int A::f() { return 1; }")
        self.assert_allowed("struct Need;\nclass Other;\nint f(int a);\nextern int count;")
        self.assert_allowed("struct A { struct Row { }; };", "struct B { struct Row { }; };")
        self.assert_allowed("constexpr int kA = 1;")
        self.assert_allowed("template <> struct V<int> { };", "template <> struct V<long> { };")

    def test_what_follows_an_initialiser_or_a_constructor_is_seen(self):
        for before in (
            "const auto f = [](int a) { return a; };",
            "const A a = A{1} + b;",
            "A::A(int b) : b{b}, c{1} {}",
            "A& A::operator=(A&& a) { return *this; }",
            'void f(const char* text = "{") { }',
            "void f(A a = {}) { }",
            "constexpr auto kText = R\"x(} \" struct Need { };)x\";",
            "constexpr int kMany = 1'000'000; constexpr char kQuote = '\"';",
            "#define BRACE {",
            "// }",
            "/* } */",
        ):
            text = f"{before}\nstruct Need {{ }};"
            code, output = self.both(text, f"{before}\nenum Need {{ kA }};")
            self.assertIn("base/b.h:3: pacbench::Need is also", output, before)
            self.assertEqual((code, len(output.splitlines())), (1, 1), output)

    def test_names_of_two_folders_may_be_the_same(self):
        files = {
            "analysis/report/a.h": within("pacbench::report", "struct Need { };"),
            "analysis/export/a.h": within("pacbench::exports", "struct Need { };"),
            "netem/plan/a.h": within("pacbench::netem", "struct Need { };"),
        }
        self.assertEqual(self.check(files), (0, ""))

    def test_a_nested_namespace_is_part_of_the_name(self):
        nested = "namespace detail {\nstruct Need { };\n}"
        self.assert_allowed("struct Need { };", nested)
        code, output = self.both(nested)
        self.assertEqual(code, 1, output)
        self.assertIn("pacbench::detail::Need is also", output)

    def test_a_folder_opens_only_its_own_namespace(self):
        for path, namespace in (
            ("analysis/report/a.h", "pacbench"),
            ("harness/a.h", "pacbench::report"),
            ("contract/a.h", "pacbench::report"),
            ("trainer/rank/a.cc", "pacbench::netem"),
            ("tests/unit/analysis/report/a.cc", "pacbench::run"),
        ):
            other = {"analysis/report/b.h": within("pacbench::report", "")}
            code, output = self.check({**other, path: within(namespace, "")})
            self.assertEqual(code, 1, path)
            self.assertIn(f"{path}:1: opens {namespace}; its folder's is", output)

    def test_a_template_of_another_folder_may_be_specialised(self):
        words = {"base/words.h": within("pacbench", "template <typename E> struct Words;")}
        special = within("pacbench", "template <> struct Words<report::Need> { };")
        code, output = self.check({**words, "analysis/report/a.h": special})
        self.assertEqual(code, 0, output)

    def test_a_type_in_no_namespace_is_found(self):
        code, output = self.check({"base/a.h": "struct Need { };"})
        self.assertEqual(code, 1)
        self.assertIn("base/a.h:1: Need is in no namespace", output)

    def test_a_name_without_a_namespace_belongs_to_its_file(self):
        local = within("pacbench", "namespace {\nstruct Need { };\n}")
        files = {"base/a.cc": local, "base/b.cc": local, "contract/a.cc": local}
        self.assertEqual(self.check(files), (0, ""))
        self.assertEqual(
            self.check(files, "--unity"),
            (0, "base/b.cc:3: pacbench::Need is also local to base/a.cc:3\n"),
        )

    def test_a_file_that_cannot_be_followed_is_not_clean(self):
        for text in ("namespace pacbench {", "}", "namespace pacbench { void f() { }"):
            code, output = self.check({"base/a.h": text})
            self.assertEqual(code, 1, text)
            self.assertIn("base/a.h", output)

    def test_a_tree_without_sources_is_not_clean(self):
        code, output = self.check({})
        self.assertEqual(code, 1)
        self.assertIn("no source file", output)


if __name__ == "__main__":
    unittest.main()
