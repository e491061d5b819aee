"""tools/check-coroutines finds braces in co_await expressions, and only there."""
from scripts import ScriptTest

FORBIDDEN = {
    "a braced argument": "co_await group.all_reduce(tensor, {.op = Op::kMax});",
    "one on another line": "co_await group.all_gather(\n    tensor,\n    Sizes{1, 2});",
    "one before the co_await": "use(Options{1}, co_await group.size());",
    "a list around it": "const std::vector<int> v{co_await group.size()};",
    "one in a condition": "if (co_await group.all_reduce(Options{1})) return;",
    "one in a returned value": "co_return co_await f({1, 2});",
    "a lambda": "co_await group.run([&] { return 1; });",
    "one after a nested call": "co_await f(g(1), h({2}));",
}

ALLOWED = {
    "a named local": "const Options options{1};\n  co_await group.all_reduce(t, options);",
    "a block after a condition": "if (co_await ready()) {\n    f();\n  }",
    "a block before": "if (x) {\n    f();\n  }\n  co_await group.barrier();",
    "an else branch": "if (x) {\n    f();\n  } else {\n    co_await g();\n  }",
    "a coroutine lambda": "auto f = [&]() -> Task<> { co_await g(); };",
    "a method": "struct S {\n    Task<> f() const override { co_await g(); }\n  };",
    "braces in comments": "co_await g(/* {1} */ 1);  // {2}",
    "braces in strings": 'co_await g("{}", \'{\');',
    "a later statement": "co_await g();\n  h({1});",
    "a for clause": "for (int i = co_await n(); i > 0; --i) f({i});",
    "a case label": "switch (x) {\n    case 1: {\n      co_await g();\n    }\n  }",
}


class CheckCoroutines(ScriptTest):
    def check(self, statements, code):
        file = self.folder / "method.cc"
        file.write_text(f"Task<> exchange(Bucket& bucket) {{\n  {statements}\n}}\n")
        done = self.run_script("check-coroutines", file, codes=(code,))
        return done.stdout + done.stderr

    def test_finds_what_gcc_12_gets_wrong(self):
        for name, statements in FORBIDDEN.items():
            with self.subTest(name):
                self.assertIn("method.cc:", self.check(statements, code=1))

    def test_says_on_which_line(self):
        self.assertIn("method.cc:4:", self.check(FORBIDDEN["one on another line"], code=1))

    def test_leaves_the_rest_alone(self):
        for name, statements in ALLOWED.items():
            with self.subTest(name):
                self.assertEqual(self.check(statements, code=0), "")
