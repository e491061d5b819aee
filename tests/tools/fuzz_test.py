"""tools/fuzz builds the decoder of requests with libFuzzer and runs it over its corpus and more."""
import re

from scripts import ScriptTest, main


class Fuzz(ScriptTest):
    def test_thousands_of_inputs_are_tried(self):
        said = self.run_script("fuzz", "5").stderr
        tried = re.search(r"stat::number_of_executed_units: (\d+)", said)
        self.assertTrue(tried, said)
        self.assertGreater(int(tried[1]), 1000)


if __name__ == "__main__":
    main()
