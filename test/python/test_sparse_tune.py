"""sparse-tune: problems that are tuned for real on the CPU, runs that are killed, and tables."""

import json
import os
import random
import signal
import subprocess
import time

import pytest

PRODUCT = {"m": 64, "n": 48, "k": 64, "block_rows": 16, "block_columns": 16, "dtype": "f32", "out_dtype": "f32", "nnz": 8}
ATTENTION = {"rows": 64, "batches": 2, "head_dim": 32, "value_dim": 32, "dtype": "f32"}
# Lists of 2 of 4 blocks of keys for each of 4 blocks of queries.
LISTS = ATTENTION | {"rows": 256, "block_queries": 64, "block_keys": 64, "shares_mask": 1, "seen_blocks": 16}
SOFTMAX = {"block_rows": 16, "block_columns": 16, "dtype": "f32"}
TORCH_ROWS = """
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


@pytest.fixture
def tool(built_tools, tmp_path):
    def run(*arguments, **options):
        return subprocess.run([built_tools / "sparse-tune", *arguments], capture_output=True, text=True, check=False,
                              cwd=tmp_path, timeout=300, **options)

    run.path = built_tools / "sparse-tune"
    return run


def words(facts):
    return [f"{name}={value}" for name, value in facts.items()]


def lines_of(facts_of_ops):
    return "".join(json.dumps({"op": op, "facts": facts}) + "\n" for op, facts in facts_of_ops)


def rows_of(path):
    """Rows of a table; a file of none is not made."""
    if not path.exists():
        return []
    return [row for section in json.loads(path.read_text())["sections"] for row in section["rows"]]


@pytest.mark.parametrize("op, facts", [
    ("bsr_addmm", PRODUCT), ("bsr_addmm", PRODUCT | {"along_k": 1, "beta": 1, "batches": 2}),
    ("sampled_addmm", SOFTMAX | {"k": 64}), ("bsr_softmax", SOFTMAX), ("bsr_softmax_backward", SOFTMAX),
    ("scatter_mm", SOFTMAX | {"m": 64, "k": 64, "n": 32}), ("bsr_attention", SOFTMAX | ATTENTION), ("flex_attention", ATTENTION),
    ("flex_attention", ATTENTION | {"is_causal": 1}), ("flex_attention_dq", ATTENTION),
    ("flex_attention_dkdv", ATTENTION), ("flex_attention_dkdv", ATTENTION | {"is_one_gradient": 1, "gradient_columns": 32}),
    ("flex_attention_dcapture", ATTENTION), ("flex_attention", LISTS), ("flex_attention_dq", LISTS),
    ("flex_attention_dkdv", LISTS), ("flex_attention_dcapture", LISTS | {"shares_mask": 0})])
def test_every_op_is_tuned(tool, tmp_path, op, facts):
    done = tool("tune", f"--op={op}", *words(facts), "--table=table.json", "--budget=0.5", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["device"].startswith("CPU ") and found["tried"] >= 1 and found["failed"] == 0
    assert found["milliseconds"] > 0 and found["parameters"]["tile_m"] > 0
    assert len(rows_of(tmp_path / "table.json")) == (not found["is_default"])
    assert {path.name for path in tmp_path.iterdir()} <= {"table.json", "table.json.lock"}


@pytest.mark.parametrize("op, facts", [
    ("bsr_addmm", PRODUCT | {"block_rows": 64, "block_columns": 64, "m": 256, "k": 256, "dtype": "bf16"}),
    ("bsr_addmm", PRODUCT | {"block_rows": 32, "block_columns": 32, "dtype": "i8", "out_dtype": "i32", "beta": 0, "nnz": 3}),
    ("sampled_addmm", {"block_rows": 64, "block_columns": 64, "dtype": "bf16", "k": 128, "can_be_run": 1}),
    ("bsr_softmax", SOFTMAX | {"dtype": "f16"}), ("flex_attention", ATTENTION | {"rows": 512, "dtype": "bf16"}),
    ("flex_attention_dkdv", LISTS | {"head_dim": 64, "value_dim": 64, "dtype": "bf16"})])
def test_a_gpu(tool, stub_cuda, tmp_path, op, facts):
    """Over the stub driver, for which all candidates take the same."""
    done = tool("tune", f"--op={op}", *words(facts), "--table=table.json", "--budget=4", "--effort=quick", "--json",
                "--target=cuda")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["is_default"] and found["tried"] > 1 and found["failed"] == 0 and found["milliseconds"] == 0.75
    assert len(found["trials"]) == found["tried"] and {trial["ratio"] for trial in found["trials"]} == {1.0}
    assert any(trial["parameters"] == found["parameters"] for trial in found["trials"])
    assert not found["device"].startswith("CPU") and stub_cuda.lines("launch")


def test_result_is_a_row(tool, tmp_path):
    """Tuned until one beats the default: a tile of 16 columns is far from the best for 4096."""
    facts = PRODUCT | {"m": 512, "k": 512, "n": 512, "nnz": 512}
    done = tool("tune", "--op=bsr_addmm", *words(facts), "--table=table.json", "--effort=quick", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["tried"] > 1
    shown = tool("show", "--table=table.json").stdout
    if found["is_default"]:
        assert not shown
    else:
        assert shown.startswith(f"bsr_addmm, {found['device']}, f32, sparsity 0.50 (512, 512, 512, 16, 16,")
        assert all(f"{name}={value}" in shown for name, value in found["parameters"].items())
        assert found["milliseconds"] < found["default_milliseconds"]


def test_ops_of_a_program(tool, tmp_path, root):
    """Each once, by its types and what stands for them where they are dynamic."""
    done = tool("tune", f"--program={root / 'examples' / 'bsr_addmm.mlir'}", "--sizes=128,32,128", "--sparsity=0.75",
                "--table=table.json", "--budget=0.5", "--json")
    assert done.returncode == 0, done.stderr
    problem = json.loads(done.stdout)["problem"]
    assert problem.startswith("bsr_addmm ") and " m=128 " in problem and " n=32 " in problem


def workers_of(program):
    """Processes of this program that work for a table in this folder."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            if entry.isdigit() and os.readlink(f"/proc/{entry}/exe") == str(program):
                found.append(os.readlink(f"/proc/{entry}/cwd"))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("seed", range(50))
@pytest.mark.share(5)
def test_killed_runs_go_on(tool, tmp_path, seed):
    (tmp_path / "problems.jsonl").write_text(lines_of([("bsr_softmax", SOFTMAX), ("bsr_addmm", PRODUCT)]))
    command = ["tune", "--problems=problems.jsonl", "--table=table.json", "--budget=1.5", "--json"]
    process = subprocess.Popen([tool.path, *command], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                               text=True)
    time.sleep(random.Random(seed).uniform(0, 2))
    process.send_signal(signal.SIGKILL)
    before = process.communicate()[0]
    for _ in range(100):  # The system ends its workers with it.
        if str(tmp_path) not in workers_of(tool.path):
            break
        time.sleep(0.05)
    else:
        pytest.fail("workers outlive their tuner")
    done = tool(*command)
    assert done.returncode == 0, done.stderr
    # A line may be cut, and a result that was printed may not have been written down.
    printed = [json.loads(line) for line in [*before.splitlines(keepends=True), *done.stdout.splitlines(keepends=True)]
               if line.endswith("\n")]
    assert {each["problem"].split()[0] for each in printed} == {"bsr_softmax", "bsr_addmm"}
    assert len(rows_of(tmp_path / "table.json")) <= 2
    assert not [path for path in tmp_path.iterdir() if "journal" in path.name or path.name.endswith(".tuning")]


def test_a_table_has_one_tuner(tool, tmp_path):
    command = [tool.path, "tune", "--op=bsr_addmm", *words(PRODUCT), "--table=table.json", "--budget=20"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as first:
        assert "tried" in first.stderr.readline()
        first.send_signal(signal.SIGSTOP)
        done = tool(*command[1:])
        first.kill()
    assert done.returncode == 2
    assert "journal 'table.json.journal': expected no other process that tunes into this table" in done.stderr


@pytest.mark.parametrize("arguments, message", [
    ([], "expected a command: tune, show, diff, merge or import"),
    (["tune"], "expected one of '--op', '--problems' and '--program'"),
    (["tune", "--op=bsr_addmm", "m"], "expected a fact such as m=256, but got 'm'"),
    (["tune", "--op=bsr_addmm", "--jobs=0", "m=1"], "option '--jobs': expected from 1 to 256, but got 0"),
    (["tune", "--op=bsr_addmm", "--budget=-1"], "option '--budget': expected more than 0 seconds"),
    (["tune", "--op=a", "--problems=b"], "expected one of '--op', '--problems' and '--program'"),
    (["tune", "--program=a", "--sizes=1,2"], "option '--sizes': expected three sizes, M,N,K, but got 2"),
    (["tune", "--program=none.mlir"], "none.mlir"),
    (["tune", "--problems=a", "m=1"], "expected facts with '--op' alone"),
    (["tune", "--problems=none"], "'none': expected a file that can be read"),
    (["tune", "--op=bsr_addmm", "--target=gpu"], "option '--target': expected 'cpu' or 'cuda', but got 'gpu'"),
    (["diff", "a.json"], "expected 2 files, but got 1"),
    (["merge", "a.json"], "expected at least 2 files, but got 1"),
    (["show", "--table=none.json"], "meta table 'none.json': expected a file that can be read"),
    (["import", "none.py", "--table=a.json"], "'none.py': expected a file that can be read"),
])
def test_bad_commands(tool, tmp_path, arguments, message):
    done = tool(*arguments)
    assert done.returncode == 2 and message in done.stderr, done.stderr
    assert done.stderr.startswith("sparse-tune: error: ") and not list(tmp_path.iterdir())


@pytest.mark.parametrize("op, facts, message", [
    ("bsr_add", PRODUCT, "expected an op out of bsr_addmm, "),
    ("bsr_addmm", {"m": 1}, "expected the fact 'block_rows'"),
    ("bsr_addmm", PRODUCT | {"colour": 3}, "but got 'colour'"),
    ("flex_attention", ATTENTION | {"is_packed": 1}, "expected no fact 'is_packed', which samples cannot have"),
    ("flex_attention_dq", ATTENTION | {"has_dropout": 1}, "expected no fact 'has_dropout', which samples cannot have"),
    ("flex_attention", LISTS | {"seen_blocks": 7}, "fact 'seen_blocks': expected at least 8, one of each block of queries, but got 7"),
    ("flex_attention_dq", LISTS | {"seen_blocks": 33}, "fact 'seen_blocks': expected at most 32, as many blocks as there are"),
    ("flex_attention", ATTENTION | {"block_queries": 64}, "expected the facts 'block_queries' and 'block_keys'"),
    ("flex_attention_dkdv", ATTENTION | {"is_one_gradient": 1, "gradient_columns": 8}, "fact 'gradient_columns': expected"),
    ("bsr_addmm", PRODUCT | {"nnz": 17}, "fact 'nnz': expected at most 16, as many blocks as there are, but got 17"),
    ("bsr_addmm", PRODUCT | {"longest_row": 5}, "fact 'longest_row': expected one of a matrix of 4 x 4 blocks, 8 of them"),
    ("bsr_addmm", PRODUCT | {"m": 2**32}, "fact 'm': expected a whole number from 1 to 2147483647, but got 4294967296"),
    ("bsr_addmm", PRODUCT | {"alpha": 1e300}, "fact 'alpha': expected a number from"),
    ("bsr_addmm", PRODUCT | {"sparsity": 200}, "'sparsity'"),
    ("flex_attention", {"head_dim": 32, "value_dim": 32, "dtype": "f32"}, "expected all facts of a row's key"),
])
def test_problems_that_cannot_be_tuned(tool, tmp_path, op, facts, message):
    """Each is told, and the others go on."""
    (tmp_path / "problems.jsonl").write_text(lines_of([(op, facts), ("bsr_softmax", SOFTMAX)]))
    done = tool("tune", "--problems=problems.jsonl", "--table=table.json", "--budget=1", "--json")
    assert done.returncode == 1 and message in done.stderr
    assert [json.loads(line)["problem"].split()[0] for line in done.stdout.splitlines()] == ["bsr_softmax"]


def test_a_table_that_is_none_is_left(tool, tmp_path):
    table = tmp_path / "table.json"
    table.write_text("junk")
    done = tool("tune", "--op=bsr_softmax", *words(SOFTMAX), "--table=table.json")
    assert done.returncode == 2 and "expected JSON" in done.stderr
    assert table.read_text() == "junk"


@pytest.mark.parametrize("table, message", [
    ("/dev/null/table.json", "meta table '/dev/null/table.json': expected a folder"),
    ("/dev/null", "meta table '/dev/null': expected a regular file"),
    (".", "expected a regular file"), ("", "option '--table': expected a path of UTF-8"),
    ("t\udcff.json", "option '--table': expected a path of UTF-8")])
def test_tables_that_cannot_be(tool, tmp_path, table, message):
    done = tool("tune", "--op=bsr_softmax", *words(SOFTMAX), f"--table={table}")
    assert done.returncode == 2 and message in done.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("kind", ["folder", "link", "file"])
def test_what_others_made_is_left(tool, tmp_path, kind):
    """The folder of compiled candidates is one that the tool made."""
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "keep.txt").write_text("mine")
    place = tmp_path / "table.json.tuning"
    if kind == "folder":
        (tmp_path / "precious").rename(place)
    elif kind == "link":
        place.symlink_to("precious")
    else:
        place.write_text("mine")
    done = tool("tune", "--op=bsr_softmax", *words(SOFTMAX), "--table=table.json")
    assert done.returncode == 2 and "expected no file, or the folder of an interrupted run" in done.stderr
    assert place.read_text() == "mine" if kind == "file" else (place / "keep.txt").read_text() == "mine"


def test_a_table_through_a_link(tool, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "table.json").write_text('{"format": "sattn-meta-table", "version": 1, "sections": []}')
    (tmp_path / "real" / "table.json").chmod(0o600)
    (tmp_path / "link.json").symlink_to("real/table.json")
    (tmp_path / "meta.py").write_text(TORCH_ROWS)
    assert tool("import", "meta.py", "--table=link.json").returncode == 0
    assert (tmp_path / "link.json").is_symlink() and len(rows_of(tmp_path / "real" / "table.json")) == 4
    assert (tmp_path / "real" / "table.json").stat().st_mode & 0o777 == 0o600


def test_a_journal_that_is_a_pipe(tool, tmp_path):
    os.mkfifo(tmp_path / "table.json.journal")
    done = tool("tune", "--op=bsr_softmax", *words(SOFTMAX), "--table=table.json")
    assert done.returncode == 2 and "journal 'table.json.journal': expected a regular file" in done.stderr


def test_closed_output(tool, tmp_path):
    done = subprocess.run(["sh", "-c", '"$@" >&-', "sh", tool.path, "tune", "--op=bsr_softmax", *words(SOFTMAX)],
                          cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "expected an open standard output" in done.stderr


@pytest.mark.parametrize("text, message", [
    ("[" * 200000 + "\n", "expected an object of JSON"), ("[1e999]\n", "expected an object with a text"),
    ('{"op": "a", "facts": {"m": 1e999}}\n', "expected facts that are numbers or texts")])
def test_problems_that_are_none(tool, tmp_path, text, message):
    (tmp_path / "problems.jsonl").write_text(text)
    done = tool("tune", "--problems=problems.jsonl", "--table=table.json")
    assert done.returncode == 2 and "'problems.jsonl', line 1: " in done.stderr and message in done.stderr


def test_a_last_line_without_its_end(tool, tmp_path):
    """It is a problem if it is whole."""
    (tmp_path / "problems.jsonl").write_text(lines_of([("bsr_softmax", SOFTMAX)]).rstrip())
    assert "bsr_softmax" in tool("tune", "--problems=problems.jsonl", "--table=table.json", "--budget=0.2").stdout
    (tmp_path / "problems.jsonl").write_text(lines_of([("bsr_softmax", SOFTMAX)])[:20])
    done = tool("tune", "--problems=problems.jsonl", "--table=table.json")
    assert done.returncode == 0 and not done.stdout and "no problem is left to tune" in done.stderr


def imported(tool, tmp_path, text, table="table.json"):
    (tmp_path / "meta.py").write_text(text)
    done = tool("import", "meta.py", f"--table={table}")
    assert done.returncode == 0, done.stderr
    found = json.loads((tmp_path / table).read_text())
    return {(each["op"], each["device"], each["dtype"], each["sparsity"]): each["rows"] for each in found["sections"]}


def test_import_takes_complete_rows_of_complete_headings(tool, tmp_path):
    assert imported(tool, tmp_path, TORCH_ROWS) == {
        ("bsr_addmm", "NVIDIA A100-SXM4-80GB", "f16", 0.5): [
            [[256, 256, 256, 16, 16, True, False, True], [1, 8, 2, 4]],
            [[512, 512, 256, 64, 64, False, True, True], [3, 4, 3, 4]]],
        ("bsr_addmm", "NVIDIA X", "f32", 0.9): [[[256, 256, 256, 16, 16, True, False, True], [1, 8, 2, 2]]],
        ("scatter_mm", "NVIDIA A100-SXM4-80GB", "f16", 0.5): [[[256, 256, 256, 16, 16], [5, 4, 16, 16, 1, 4]]]}


def test_a_later_import_adds_rows_and_replaces_them(tool, tmp_path):
    imported(tool, tmp_path, TORCH_ROWS)
    later = TORCH_ROWS.replace("(3, 4, 3, 4)", "(7, 4, 3, 4)").replace("256, 16, 16, True", "1024, 16, 16, True")
    rows = imported(tool, tmp_path, later)["bsr_addmm", "NVIDIA A100-SXM4-80GB", "f16", 0.5]
    assert [row[0][2] for row in rows] == [256, 1024, 256] and rows[2][1][0] == 7


def test_import_of_what_no_table_may_have(tool, tmp_path):
    """The last of equal keys counts; sections of an impossible sparsity are left out; numbers that cannot be refuse all."""
    head = '("scatter_mm", "NVIDIA X", (0, torch.float16, {})): {{\n'
    twice = head.format(0.5) + "(16, 16, 16, 16, 16): (1, 1, 1, 1, 1, 1),\n(16, 16, 16, 16, 16): (2, 1, 2, 2, 2, 2),\n},\n"
    found = imported(tool, tmp_path, twice + head.format(99.0) + "(32, 16, 16, 16, 16): (1, 1, 1, 1, 1, 1),\n},\n")
    assert found == {("scatter_mm", "NVIDIA X", "f16", 0.5): [[[16, 16, 16, 16, 16], [2, 1, 2, 2, 2, 2]]]}
    before = (tmp_path / "table.json").read_text()
    (tmp_path / "meta.py").write_text(head.format(0.5) + "(64, 0, 16, 16, 16): (1, 1, 1, 1, 1, 1),\n},\n")
    done = tool("import", "meta.py", "--table=table.json")
    assert done.returncode == 2 and "expected K from 1 to" in done.stderr and "the file is left as it is" in done.stderr
    assert (tmp_path / "table.json").read_text() == before and tool("show", "--table=table.json").returncode == 0


def test_import_of_nothing(tool, tmp_path):
    (tmp_path / "meta.py").write_text("print('hello')\n")
    done = tool("import", "meta.py", "--table=table.json")
    assert done.returncode == 2 and "expected rows in the form of PyTorch's torch/sparse/_triton_ops_meta.py, but got none" in done.stderr
    assert not (tmp_path / "table.json").exists()


def test_the_shipped_rows_are_as_imported(tool, tmp_path, root):
    """The rows of PyTorch's kernel give the shipped file, without those that were tuned here."""
    shipped = json.loads((root / "lib" / "MetaTable" / "ShippedTable.json").read_text())
    shipped["sections"] = [section for section in shipped["sections"] if "SPLIT_N" in section["parameters"]]
    assert len(shipped["sections"]) == 3
    dtypes = {"bf16": "torch.bfloat16", "f16": "torch.float16", "f32": "torch.float32"}
    text = ""
    for section in shipped["sections"]:
        text += (f'("bsr_dense_addmm", "{section["device"]}", (0, {dtypes[section["dtype"]]}, {section["sparsity"]})): '
                 + "{\n")
        text += "".join(f"{tuple(key)}: {tuple(values)},\n" for key, values in section["rows"]) + "},\n"
    assert imported(tool, tmp_path, text)
    assert json.loads((tmp_path / "table.json").read_text()) == shipped


def test_tables_are_compared_and_joined(tool, tmp_path):
    imported(tool, tmp_path, TORCH_ROWS, "a.json")
    imported(tool, tmp_path, TORCH_ROWS.replace("(3, 4, 3, 4)", "(7, 4, 3, 4)"), "b.json")
    row = "bsr_addmm, NVIDIA A100-SXM4-80GB, f16, sparsity 0.50 (512, 512, 256, 64, 64, false, true, true)"
    done = tool("diff", "a.json", "b.json")
    assert done.returncode == 1
    assert done.stdout.splitlines() == [
        f"- {row}: GROUP_SIZE_ROW=3 SPLIT_N=4 num_stages=3 num_warps=4",
        f"+ {row}: GROUP_SIZE_ROW=7 SPLIT_N=4 num_stages=3 num_warps=4"]
    assert tool("merge", "all.json", "a.json", "b.json").returncode == 0
    same = tool("diff", "b.json", "all.json")
    assert same.returncode == 0 and not same.stdout
    assert len(tool("show", "--table=all.json", "--op=bsr_addmm").stdout.splitlines()) == 3


def test_help_and_version(tool):
    assert "tune" in tool("--help").stdout and "LLVM" in tool("--version").stdout
