"""Programs of sattn_test.attention, an op that only tests have.

    python3 test/gpu/attention_op.py --tools build/bin --output build/attention_op

compiles every case on a machine with LLVM; test_attention_op.py beside this runs them on a GPU.
"""

import argparse
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
from attention_programs import Attention, op_program  # noqa: E402

CASES = {
    "dense": Attention(tail=True),
    "causal": Attention(causal=True),
    "causal_f16": Attention(causal=True, dtype="f16"),
    "d64": Attention(head_dim=64, tail=True),
    "d64_wide": Attention(head_dim=64, block_q=192, causal=True),
    "d256": Attention(head_dim=256, block_kv=64, causal=True),
    "values_of_64": Attention(head_dim=128, value_dim=64, causal=True),
}
CHIPS = ["sm_90a", "sm_80"]
SCHEDULES = ["specialized", "plain"]


def path_of(folder, case, chip, schedule):
    """The path of a compiled case without its suffix: .ptx, .json."""
    return folder / f"{case}-{chip}-{schedule}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tools", type=Path, required=True, help="folder of sattn-test-translate")
    parser.add_argument("--output", type=Path, required=True)
    options = parser.parse_args()
    options.output.mkdir(parents=True, exist_ok=True)
    for case, variant in CASES.items():
        for chip in CHIPS:
            for schedule in SCHEDULES:
                for output, suffix in [("ptx", ".ptx"), ("manifest", ".json")]:
                    subprocess.run([options.tools / "sattn-test-translate", f"--to={output}", f"--chip={chip}",
                                    f"--schedule={schedule}", "-",
                                    "-o", path_of(options.output, case, chip, schedule).with_suffix(suffix)],
                                   input=op_program(variant), text=True, check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
