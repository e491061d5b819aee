"""tools/fuzz builds decoders with libFuzzer and runs each over its corpus and more."""
import re

from scripts import ScriptTest


class Fuzz(ScriptTest):
    def test_thousands_of_inputs_are_tried(self):
        said = self.run_script("fuzz", "5").stderr
        tried = re.findall(r"stat::number_of_executed_units: (\d+)", said)
        self.assertEqual(len(tried), 3, said)
        for count in tried:
            self.assertGreater(int(count), 1000)
