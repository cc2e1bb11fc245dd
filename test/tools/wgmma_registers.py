"""Registers of wgmma in PTX: none may be used by another instruction while the product runs.

PTX leaves it undefined, and ptxas says nothing where a register of A is written too early (its
C7513 is about some cases only). Accumulators and A are followed from each product to the wait that
retires it, on every way through the kernel.
"""

import re

ENTRY = re.compile(r"^\.visible \.entry (\w+)", re.MULTILINE)
LABEL = re.compile(r"(\$L\w+):")
BRANCH = re.compile(r"(@!?%p\d+\s+)?bra(?:\.uni)?\s+(\$L\w+);")
PRODUCT = re.compile(r"wgmma\.mma_async\S*\s+\{([^}]*)\},\s*(?:\{([^}]*)\})?")
WAIT = re.compile(r"wgmma\.wait_group\S*\s+(\d+)")
REGISTER = re.compile(r"%[rf]\d+")
# More groups than any wait leaves pending.
MOST_GROUPS = 16


def registers(text):
    return set(REGISTER.findall(text or ""))


class Kernel:
    def __init__(self, text):
        self.lines = [line.strip() for line in text.splitlines()]
        self.labels = {match[1]: i for i, line in enumerate(self.lines) if (match := LABEL.match(line))}

    def problems(self):
        """(line, registers) of uses while a product runs."""
        found = {}
        for i, line in enumerate(self.lines):
            if match := PRODUCT.match(line):
                for line_number, names in self.follow(i, registers(match[1]), registers(match[2])):
                    found.setdefault(line_number, set()).update(names)
        return sorted(found.items())

    def follow(self, product, accumulator, left):
        """Ways on from a product until it is retired. -1 groups are younger before its own ends."""
        ways, seen = [(product + 1, -1)], set()
        while ways:
            i, younger = ways.pop()
            while i < len(self.lines) and (i, younger) not in seen:
                seen.add((i, younger))
                line = self.lines[i]
                if line.startswith("wgmma.commit_group"):
                    younger = min(younger + 1, MOST_GROUPS)
                elif match := WAIT.match(line):
                    if 0 <= int(match[1]) <= younger:
                        break
                elif match := PRODUCT.match(line):
                    # Products follow each other on an accumulator, and may share A.
                    both = (registers(match[1]) & left) | (registers(match[2]) & accumulator)
                    if registers(match[1]) != accumulator:
                        both |= registers(match[1]) & accumulator
                    if both:
                        yield i, both
                elif names := registers(line) & (accumulator | left):
                    yield i, names
                elif match := BRANCH.match(line):
                    ways.append((self.labels[match[2]], younger))
                    if not match[1]:
                        break
                elif line.startswith("ret"):
                    break
                i += 1


def problems(ptx):
    """Lines that say what is wrong with the kernels of a PTX file."""
    parts = ENTRY.split(ptx)
    wrong = []
    for name, text in zip(parts[1::2], parts[2::2]):
        kernel = Kernel(text)
        wrong += [f"{name}: expected no use of {', '.join(sorted(names))} while a product runs, but got: "
                  f"{kernel.lines[i]}" for i, names in kernel.problems()]
    return wrong
