"""Files of results, and the facts about the machine that they begin with. PyTorch is imported where it is needed."""

import datetime
import json
import os
import platform
from pathlib import Path


def write(path, benchmark, rows, **facts):
    """Writes the results of a benchmark, by its name: the date, facts of the run, and rows. Makes the file's folder;
    writes nothing where path is None."""
    if path:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps({"benchmark": benchmark, "date": datetime.date.today().isoformat(), **facts,
                                    "rows": rows}, indent=1) + "\n")


def gpu():
    """The facts of a run on PyTorch's current CUDA device."""
    import torch

    return {"device": torch.cuda.get_device_name(), "torch": torch.__version__}


def cpu_name():
    """The name of this machine's CPU, as Linux has it, else its architecture."""
    path = Path("/proc/cpuinfo")
    for line in path.read_text().splitlines() if path.exists() else ():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def load():
    """The facts of a run on a machine that others may share: its processors, and its load over five minutes."""
    return {"processors": os.cpu_count(), "load": os.getloadavg()[1]}
