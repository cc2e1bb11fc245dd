"""Whether sparse-translate has every option of the pipelines: check_options.py SPARSE_OPT_HELP SPARSE_TRANSLATE_HELP."""

import re
import sys
from pathlib import Path

PIPELINES = ["sattn-to-cpu", "sattn-to-nvvm", "sattn-to-ptx", "sattn-to-cubin"]
OPTION = re.compile(r"^( *)--([\w-]+)[= ]")

of_pipelines, of_translate = (Path(name).read_text().splitlines() for name in sys.argv[1:])


def options_of(pipeline):
    """The options below a pipeline's own line, which stand further to the right."""
    indent = None
    for line in of_pipelines:
        found = OPTION.match(line)
        if not found:
            continue
        if indent is not None:
            if len(found[1]) <= indent:
                return
            yield found[2]
        elif found[2] == pipeline:
            indent = len(found[1])


expected = set()
for pipeline in PIPELINES:
    found = set(options_of(pipeline))
    assert found, f"expected options of --{pipeline} in the help of sparse-opt"
    # Libraries of LLVM have an option of their own called "threads".
    expected |= {f"cpu-{name}" for name in found} if pipeline == "sattn-to-cpu" else found

missing = sorted(expected - {found[2] for line in of_translate if (found := OPTION.match(line))})
assert not missing, f"expected options of the pipelines, but sparse-translate has none of these: {missing}"
