"""Makes the shipped meta table out of the tuned parameters of PyTorch.

    scripts/import_torch_meta.py FILE... > lib/MetaTable/ShippedTable.json

Each FILE is a copy of torch/sparse/_triton_ops_meta.py, whole or in part. Taken are the numbers of complete rows
of bsr_dense_addmm: a row that the text breaks off, or a section whose heading is missing, is left out. Nothing is
executed, and no text of the file is kept. docs/MetaTable.md describes the result.
"""

import json
import re
import sys
from pathlib import Path

DTYPES = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
HEADING = re.compile(r'\( "bsr_dense_addmm" , "([^"]*)" , \( 0 , torch \. (\w+) , (\d+\.\d+) \) \) : \{')
FLAG = "(True|False)"
KEY = r"\( " + " , ".join([r"(\d+)"] * 5 + [FLAG] * 3) + r" \)"
ROW = re.compile(KEY + r" : \( " + " , ".join([r"(\d+)"] * 4) + r" \)")
PARAMETERS = ["GROUP_SIZE_ROW", "SPLIT_N", "num_stages", "num_warps"]


def tokens(text):
    """The text without comments, its tokens apart by one space."""
    text = re.sub(r"#.*", "", text)
    return " ".join(re.findall(r'"[^"\n]*"|\d+\.\d+|\w+|\S', text))


def sections(text):
    """(device, dtype, sparsity, rows) of each heading; a row is a key and its parameters."""
    text = tokens(text)
    headings = list(HEADING.finditer(text))
    for heading, following in zip(headings, [*headings[1:], None]):
        body = text[heading.end() : following.start() if following else len(text)]
        rows = []
        for row in ROW.finditer(body.partition("}")[0]):
            key = [int(field) for field in row.groups()[:5]] + [field == "True" for field in row.groups()[5:8]]
            rows.append((key, [int(field) for field in row.groups()[8:]]))
        device, dtype, sparsity = heading.groups()
        yield device, DTYPES[dtype], float(sparsity), rows


def table(texts):
    """The table as JSON, one row a line."""
    merged = {}
    for text in texts:
        for device, dtype, sparsity, rows in sections(text):
            merged.setdefault((device, dtype, sparsity), {}).update({tuple(key): row for key, row in rows})
    parts = []
    for (device, dtype, sparsity), rows in sorted(merged.items()):
        head = {"op": "bsr_addmm", "device": device, "version": 0, "dtype": dtype, "sparsity": sparsity,
                "parameters": PARAMETERS}
        lines = [json.dumps([list(key), row]) for key, row in sorted(rows.items())]
        parts.append(json.dumps(head)[:-1] + ', "rows": [\n    ' + ",\n    ".join(lines) + "\n  ]}")
    head = '{"format": "sattn-meta-table", "version": 1, "sections": [\n  '
    return head + ",\n  ".join(parts) + "\n]}\n"


def main(paths):
    if not paths:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        texts = [Path(path).read_text() for path in paths]
    except OSError as error:
        print(f"import_torch_meta: error: {error}", file=sys.stderr)
        return 1
    sys.stdout.write(table(texts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
