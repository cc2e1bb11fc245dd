"""test/tools/check_ptx.py: what it lets pass and what it stops."""

import subprocess
import sys

import pytest

import check_ptx
import wgmma_registers

HEADER = ".version 8.0\n.target sm_90a\n.address_size 64\n"
CLEAN = HEADER + """
.visible .entry clean(.param .u64 p) {
  .reg .b64 %rd<2>;
  .shared .align 16 .b8 tile[1024];
  ld.param.u64 %rd1, [p];
  st.shared.u64 [tile], %rd1;
  st.global.u64 [%rd1], %rd1;
  ret;
}
"""


def spilling():
    """64 values alive at once in a kernel that may have 24 registers."""
    lines = [f"  ld.volatile.global.f32 %f{i}, [%rd1+{4 * i}];" for i in range(64)]
    lines += [f"  st.volatile.global.f32 [%rd1+{4 * i}], %f{i};" for i in range(64)]
    return (HEADER + ".visible .entry spilling(.param .u64 p)\n.maxnreg 24\n{\n  .reg .b64 %rd<2>;\n"
            "  .reg .f32 %f<64>;\n  ld.param.u64 %rd1, [p];\n" + "\n".join(lines) + "\n  ret;\n}\n")


def run(text, root, *options):
    return subprocess.run([sys.executable, root / "test" / "tools" / "check_ptx.py", *options],
                          input=text, capture_output=True, text=True, check=False)


def test_clean_kernel(root):
    done = run(CLEAN, root)
    assert done.returncode == 0, done.stderr
    assert "clean: " in done.stdout
    assert "1024 bytes of static shared memory, 0 bytes of stack" in done.stdout


def test_spills_fail(root):
    done = run(spilling(), root)
    assert done.returncode == 1
    assert "check_ptx: error: spilling: expected no spill, but got" in done.stderr


def test_one_kernel(root):
    both = CLEAN + spilling().removeprefix(HEADER)
    assert run(both, root).returncode == 1
    done = run(both, root, "--entry=clean")
    assert done.returncode == 0, done.stderr
    assert "clean: " in done.stdout and "spilling" not in done.stdout


def test_invalid_ptx_fails(root):
    done = run(HEADER + "nonsense", root)
    assert done.returncode == 1
    assert "check_ptx: error: ptxas failed" in done.stderr


def test_no_kernel_fails(root):
    done = run(HEADER, root)
    assert done.returncode == 1
    assert "expected at least one kernel, but got none" in done.stderr


def test_missing_ptxas(root):
    done = run(CLEAN, root, "--ptxas=/nonexistent/ptxas")
    assert done.returncode == 1
    assert "cannot run ptxas" in done.stderr


@pytest.mark.parametrize("warning", [
    "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to "
    "insufficient register resources for the wgmma pipeline in function 'f'",
    "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async instructions are serialized due to x",
])
def test_serialization_is_a_problem(warning):
    log = "ptxas info    : Compiling entry function 'f' for 'sm_90a'\n"
    assert check_ptx.problems(log) == []
    assert check_ptx.problems(log + warning) == [f"serialized: {warning}"]


def test_usage_of_several_kernels():
    log = """ptxas info    : Compiling entry function 'f' for 'sm_90a'
ptxas info    : Function properties for f
    16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads
ptxas info    : Used 168 registers, used 1 barriers, 49152 bytes smem
ptxas info    : Compiling entry function 'g' for 'sm_90a'
ptxas info    : Function properties for g
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 12 registers, used 0 barriers
"""
    assert check_ptx.kernels(log) == [
        {"name": "f", "registers": 168, "shared": 49152, "stack": 16, "spills": 12},
        {"name": "g", "registers": 12, "shared": 0, "stack": 0, "spills": 0},
    ]
    assert check_ptx.problems(log) == ["f: expected no spill, but got 12 bytes"]


def turn(*lines):
    """A loop that multiplies %r4 and %r5, issues another product, and waits for the first."""
    return "\n".join([
        ".visible .entry f(", ")", "{", "$L0:",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r0, %r1}, {%r4, %r5}, %rd0, 1, 1, 1, 1;",
        "wgmma.commit_group.sync.aligned;",
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%r2, %r3}, %rd0, %rd0, 1, 1, 1, 0, 1;",
        "wgmma.commit_group.sync.aligned;", *lines, "@%p1 bra $L0;", "wgmma.wait_group.sync.aligned 0;", "ret;", "}"])


@pytest.mark.parametrize("lines, used", [
    (["wgmma.wait_group.sync.aligned 1;", "mov.b32 %r4, %r0;", "wgmma.wait_group.sync.aligned 0;"], None),
    (["wgmma.wait_group.sync.aligned 0;", "mov.b32 %r4, %r2;"], None),
    # Before any wait, and behind one that leaves the second product pending.
    (["mov.b32 %r4, %r6;", "wgmma.wait_group.sync.aligned 0;"], "mov.b32 %r4, %r6;"),
    (["wgmma.wait_group.sync.aligned 1;", "mov.b32 %r6, %r2;", "wgmma.wait_group.sync.aligned 0;"],
     "mov.b32 %r6, %r2;"),
    # In the next turn.
    (["@%p2 bra $L1;", "wgmma.wait_group.sync.aligned 0;", "$L1:", "add.s32 %r5, %r5, 1;"], "add.s32 %r5, %r5, 1;"),
])
def test_registers_of_running_products(lines, used):
    wrong = wgmma_registers.problems(turn(*lines))
    if used is None:
        assert wrong == []
    else:
        assert any(line.endswith(f"but got: {used}") for line in wrong), wrong
