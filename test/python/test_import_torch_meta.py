"""scripts/import_torch_meta.py: PyTorch's tuned rows as a meta table."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "import_torch_meta.py"
sys.path.insert(0, str(ROOT / "scripts"))
import import_torch_meta  # noqa: E402

SOURCE = """
    # a section whose heading is lost
        (64, 64, 256, 64, 64, False, True, True): (9, 4, 3, 4),
    },
    ("scatter_mm", "NVIDIA A100-SXM4-80GB", (0, torch.float16, 0.5)): {
        (256, 256, 256, 16, 16): (5, 4, 16, 16, 1, 4),
    },
    ("bsr_dense_addmm", "NVIDIA A100-SXM4-80GB", (0, torch.float16, 0.5)): {
        # first row (1, 2, 3, 4, 5, True, True, True): (0, 0, 0, 0)
        (512, 512, 256, 64, 64, False, True, True): (3, 4, 3, 4),
        (
            256, 256,   # spread over lines
            256, 16, 16, True, False, True
        ): (
            1, 8, 2, 4
        ),
        ...
    },
    ("bsr_dense_addmm", "NVIDIA X", (0, torch.float32, 0.9)): {
        (256, 256, 256, 16, 16, True, False, True): (1, 8, 2, 2),
        (256, 256, 512, 16,
"""


def imported(*texts):
    table = json.loads(import_torch_meta.table(texts))
    assert table["format"] == "sattn-meta-table" and table["version"] == 1
    return {(s["device"], s["dtype"], s["sparsity"]): s["rows"] for s in table["sections"]}


def test_takes_complete_rows_of_complete_headings():
    assert imported(SOURCE) == {
        ("NVIDIA A100-SXM4-80GB", "f16", 0.5): [
            [[256, 256, 256, 16, 16, True, False, True], [1, 8, 2, 4]],
            [[512, 512, 256, 64, 64, False, True, True], [3, 4, 3, 4]],
        ],
        ("NVIDIA X", "f32", 0.9): [[[256, 256, 256, 16, 16, True, False, True], [1, 8, 2, 2]]],
    }


def test_a_later_file_adds_rows_and_replaces_them():
    later = SOURCE.replace("(3, 4, 3, 4)", "(7, 4, 3, 4)").replace("256, 16, 16, True", "1024, 16, 16, True")
    rows = imported(SOURCE, later)["NVIDIA A100-SXM4-80GB", "f16", 0.5]
    assert [row[0][2] for row in rows] == [256, 1024, 256]
    assert rows[2][1][0] == 7


def test_command_line(tmp_path):
    file = tmp_path / "meta.py"
    file.write_text(SOURCE)
    done = subprocess.run([sys.executable, SCRIPT, file], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and json.loads(done.stdout)["sections"]
    done = subprocess.run([sys.executable, SCRIPT, tmp_path / "none"], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "none" in done.stderr and not done.stdout
    assert subprocess.run([sys.executable, SCRIPT], capture_output=True, check=False).returncode == 2
