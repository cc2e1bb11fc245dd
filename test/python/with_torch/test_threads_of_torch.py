"""torch.set_num_threads counts for calls on the CPU."""

import subprocess
import sys

SCRIPT = """
import os
import sys
import numpy as np
import sattn

bsr = np.arange(65, dtype=np.int32), np.zeros(64, np.int32), np.ones((64, 16, 16), np.float32)
if sys.argv[1] == "after":
    sattn.bsr_dense_mm(bsr, np.ones((16, 256), np.float32))
import torch

bsr, dense = tuple(map(torch.from_numpy, bsr)), torch.ones(16, 256)
torch.set_num_threads(1)
before = len(os.listdir("/proc/self/task"))
sattn.bsr_dense_mm(bsr, dense)
print(len(os.listdir("/proc/self/task")) - before)
torch.set_num_threads(6)
before = len(os.listdir("/proc/self/task"))
sattn.bsr_dense_mm(bsr, dense)
print(len(os.listdir("/proc/self/task")) - before)
sattn.set_num_threads(9)
sattn.bsr_dense_mm(bsr, dense)
print(len(os.listdir("/proc/self/task")) - before)
"""


def test_calls_follow_pytorch(package):
    done = subprocess.run([sys.executable, "-c", SCRIPT, "before"], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["0", "5", "8"]


def test_calls_follow_pytorch_once_it_is_there(package):
    """One thread less is new where the first call had two."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, "after"], capture_output=True, text=True, check=True)
    first, second, third = map(int, done.stdout.split())
    assert first == 0 and 0 < second <= 5 and third == second + 3
