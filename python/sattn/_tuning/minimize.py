"""Search for the parameters with the least value of a function, step by step."""

import itertools
import numbers

# Values apart by less than this part are equal: a measurement is no sharper.
_EQUAL = 0.001


class _Search:
    """The values of a function, each computed once. Keys are a point's values in the order of their names."""

    def __init__(self, function, names, values, verbose):
        self.function, self.names, self.values, self.verbose = function, sorted(names), values, verbose

    def key(self, parameters):
        return tuple(parameters[name] for name in self.names)

    def say(self, text, error=None):
        # Kernels that need more than the device has are expected.
        if self.verbose and "out of resource" not in str(error):
            print(text)

    def value(self, parameters, what, then):
        """The function's value, or None where it raises. what, then: for the message that says so."""
        try:
            found = self.function(parameters)
        except Exception as error:  # A candidate costs only itself, whatever is wrong with it.
            self.values[self.key(parameters)] = str(error)
            self.say(f"{what}={parameters} lead to failure: {error}.{then}", error)
            return None
        self.values[self.key(parameters)] = found
        return found


def _moves(count, most):
    """Steps in each of so many directions, at most `most` altogether: the nearest first."""
    steps = itertools.product(range(-most, most + 1), repeat=count)
    near = [(distance, move) for move in steps if 0 < (distance := sum(map(abs, move))) <= most]
    return [move for _, move in sorted(near)]


def _moved(search, parameters, move, step):
    """The parameters after a move, or None where one of its steps cannot be made."""
    moved = dict(parameters)
    for name, direction in zip(search.names, move):
        if direction:
            moved[name] = step(name, parameters[name], direction, parameters)
            if moved[name] == parameters[name]:
                return None
    return moved


def _descend(search, parameters, least, moves, step):
    """Moves to the first better neighbour until there is none."""
    improved = True
    while improved:
        improved = False
        for move in moves:
            moved = _moved(search, parameters, move, step)
            if moved is None or search.key(moved) in search.values:
                continue
            value = search.value(moved, "next_parameters", " Skipping.")
            if value is not None and value < least:
                parameters, least, improved = moved, value, True
                break
    return parameters, least


def _stable(search, initial, least):
    """The point that is taken of those with about the least value: the initial one, else the first in order."""
    near = {key for key, value in search.values.items()
            if isinstance(value, numbers.Real) and (value == least or abs(value - least) < _EQUAL * abs(least))}
    return dict(zip(search.names, initial if initial in near else min(near)))


def _sensitivity(search, parameters, least, most, step):
    """The sensitivity of each name, the highest first: the percentage by which each single step raises the value; 0
    where no step is possible or its value is not known."""
    found = []
    for name, value in parameters.items():
        changes = []
        for direction in [*range(-most, 0), *range(1, most + 1)]:
            moved = {**parameters, name: step(name, value, direction, parameters)}
            other = search.values.get(search.key(moved))
            is_known = moved[name] != value and isinstance(other, numbers.Real) and least
            changes.append((other / least - 1) * 100 if is_known else 0)
        found.append((max(changes, default=0), changes, name))
    for _, changes, name in sorted(found, reverse=True):
        left, right = ("|".join(f"{change:.1f}" for change in part) for part in (changes[:most], changes[most:]))
        yield f"{name}={parameters[name]} ({left}...{right} %)"


def minimize(target_func, initial_parameters, reference_parameters, step_func, max_step=2, verbose=False,
             all_values=None):
    """Searches for parameters that minimize a function, from the initial ones on, by steps of one or more parameters.

    target_func: (parameters) -> a number, such as a time in milliseconds. A point where it raises is left out.
    initial_parameters, reference_parameters: dicts with the same names. The search begins at the initial ones, or at
    the reference where they fail; the speed-up is that over the reference, or over the initial ones where it fails.
    step_func: (name, value, direction, parameters) -> the value so many steps up (direction > 0) or down, or the same
    value where no such step is possible.
    max_step: steps of all parameters together that a neighbour is away at most. verbose: whether failures are printed.
    all_values: a dict for the values of all points, by their parameters in the order of names, of failures the message;
    points that it has are not computed again, but for the first two.

    Returns (parameters, speed-up in percent, the least value, a message of how sensitive the value is to each
    parameter). Points within 0.1% of the least count as equal: the initial one is taken before others. Where the result
    is slower than the reference, the search is done again from there. Where both first points fail: ({}, -1, -1, the
    message of the initial one's failure).
    """
    values = {} if all_values is None else all_values
    search = _Search(target_func, initial_parameters, values, verbose)
    reference = search.value(reference_parameters, "reference_parameters", "")
    parameters = initial_parameters
    initial = search.value(parameters, "initial_parameters", " Optimization failed!" if reference is None else
                           " Using reference parameters instead of initial parameters.")
    if initial is None:
        if reference is None:
            return {}, -1, -1, values[search.key(parameters)]
        parameters, initial = reference_parameters, reference
        values[search.key(parameters)] = reference
    elif reference is None:
        search.say("Using initial parameters instead of reference parameters.")
        reference = initial
    first = search.key(parameters)
    parameters, least = _descend(search, parameters, initial, _moves(len(search.names), max_step), step_func)
    parameters = _stable(search, first, least)
    speedup = (1 - least / reference) * 100 if reference else 0.0
    if speedup < 0:
        search.say(f"speedup_incr={speedup} is negative. Rerunning minimize with reference parameters as initial "
                   "parameters.")
        return minimize(target_func, reference_parameters, reference_parameters, step_func, max_step, verbose, values)
    message = [f"timing0={initial:.3f}", *_sensitivity(search, parameters, least, max_step, step_func)]
    return parameters, speedup, least, ", ".join(message)
