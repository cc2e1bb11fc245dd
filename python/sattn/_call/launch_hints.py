"""Hints that repeated calls keep: the order of tiles, which a kernel before the call's own computes otherwise.

They are made of a mask's lists. Nothing that is computed depends on them, so lists whose contents change in a way that
nobody sees, as in a captured graph, cost time at most.
"""

import operator
import threading

from .._arrays import lazy_torch as torch

#: Streams, each of which has hints of its own.
STREAMS = 4
#: Bytes of hints that captured graphs hold: for ever, since a graph may be replayed at any time.
CAPTURED_BYTES = 64 << 20
# The results of launch: an Outcome of python/binding/KeptHints.h.
_USED, _NONE_FOR_STREAM, _NONE_FOR_CAPTURE, _CAPTURED = range(4)

_VERSION = operator.attrgetter("_version")
_lock = threading.Lock()
_captured = []
_captured_bytes = 0


class _Hints:
    """The hints for lists in one state."""

    __slots__ = ("function", "address", "_bytes", "_add", "_plain", "_memory", "_like")

    def __init__(self, program, like):
        #: Launches with hints, or nothing, and returns an outcome, which `follow` takes.
        self.function, self._bytes, self._add = program._keep()
        #: For the binding.
        self.address = self.function.__chandle__()
        self._plain, self._memory, self._like = program._launch, [], like

    def launch(self, *arguments):
        def call(function, *numbers):
            return function(*numbers, *arguments)

        self.follow(call(self.function), call)

    def follow(self, outcome, call):
        """Does what is left of a call of `function`. call: calls a function with numbers and then the call's
        arguments."""
        if outcome == _NONE_FOR_STREAM:
            # Making the hints launches what the call would launch first.
            outcome = call(self.function) if self._make(call) else outcome
            if outcome == _NONE_FOR_STREAM:
                call(self._plain)
        if outcome >= _CAPTURED:
            self._hold(outcome - _CAPTURED)

    def _make(self, call):
        """Whether they were made, for calls on this stream."""
        with _lock:
            if len(self._memory) >= STREAMS:
                return False
            try:
                # Its allocator gives it to others after what was launched on the stream before.
                memory = self._like.new_empty((max(call(self._bytes), 1),))
                call(self._add, memory.data_ptr())
            except (RuntimeError, ValueError):  # No memory, or an error that the call itself will raise.
                return False
            self._memory.append(memory)
            return True

    def _hold(self, place):
        global _captured_bytes
        with _lock:
            memory = self._memory[place]
            _captured.append(memory)
            _captured_bytes += memory.numel() * memory.element_size()


class Hints:
    """The hints of one kind of call with the same lists. Safe to use from several threads."""

    __slots__ = ("_program", "_lists", "_state")

    def __init__(self, program, lists):
        """lists: tensors that may change."""
        # Views have the versions of tensors, which may go.
        self._program, self._lists = program, tuple(one.detach() for one in lists)
        self._state = _versions_of(self._lists), None

    def ready(self, like):
        """The hints to launch with; None where the lists have changed since the call before. like: a tensor, on the
        device."""
        (known, hints), versions = self._state, _versions_of(self._lists)
        if known != versions:
            self._state = versions, None
            return None
        if _captured_bytes >= CAPTURED_BYTES and torch.cuda.is_current_stream_capturing():
            return None
        if hints is None:
            hints = _Hints(self._program, like.new_empty((0,)))
            self._state = versions, hints
        return hints


def _versions_of(lists):
    """A value that differs after each write to one of these tensors that PyTorch knows of."""
    try:
        return tuple(map(_VERSION, lists))
    except RuntimeError:  # Tensors of inference mode have no versions.
        return None
