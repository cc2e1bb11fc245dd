"""flex_attention_backward: the gradients of flex_attention, which torch.autograd calls as an operation of PyTorch."""

import dataclasses
import typing

from .._arrays import adapters, lazy_torch as torch, stand_ins
from .._call import cache, dispatch, memory
from .._compiler import compiler, program_text
from .._compiler.program_text import listed
from .._masks import transposed_lists
from .._masks.attention_mask import Mask
from .._trace import direct_reads, regions
from .._trace.captured_arguments import captured
from . import captured_gradients, flex_attention, huge_scores, whole_columns
from .flex_attention_layout import new_in_order_of
from .flex_attention_operation import TYPES, arguments_of, request_of
from .flex_attention_plan import keys_read, shapes_of, source_of
from .flex_attention_program import FlexAttention
from .spec import OpSpec, register

LOG2_E = "1.4426950408889634"
#: Most columns of heads for which the accumulators of both gradients of a tile of keys fit in a GPU's registers.
WIDEST_TOGETHER = 128
# wanted: whether the gradients of query, of key, of value, and of each of `arrays` are computed. Those that are not are
# empty.
_SCHEMA = ("(Tensor grad_out, Tensor? grad_lse, Tensor out, Tensor lse, Tensor query, Tensor key, Tensor value, "
           "str score_mod, str mask_mod, Tensor[] arrays, Scalar[]? floats, SymInt[] integers, Tensor[] lists, "
           "SymInt[] mask, SymInt[] band, Scalar? scale, bool enable_gqa, str kernel_options, bool[] wanted) "
           "-> (Tensor, Tensor, Tensor, Tensor[])")


class Stored(typing.NamedTuple):
    """Stored blocks in the place of lists: the type of indices, whether (batches, heads) share the pattern, and whether
    they share its transpose."""

    index: str
    shared: tuple
    transposed_shared: tuple

    def types(self, is_transposed):
        """Types of crow and of col, or of those of the transpose."""
        batch, head = ("1" if own else "?" for own in (self.transposed_shared if is_transposed else self.shared))
        return (f"tensor<{batch}x{head}x?x{self.index}>",) * 2


@dataclasses.dataclass(frozen=True)
class FlexAttentionBackward:
    """A program of the gradients, `sattn.flex_attention_dq` and `sattn.flex_attention_dkdv`, and the ops before them.

    scores: the FlexAttention whose gradients they are; what it says of results and packed heads does not count.
    has_grad_lse: whether lse has a gradient. wants_query, wants_key, wants_value: whether theirs are computed.
    is_apart: whether those of key and value have an op each. clears: whether queries that see no key may have any
    upstream gradient. stored: blocks that scores' block_size is of, or None. dropout: whether weights are dropped.
    name: of the function.
    """

    scores: FlexAttention
    has_grad_lse: bool = False
    wants_query: bool = True
    wants_key: bool = True
    wants_value: bool = True
    is_apart: bool = False
    clears: bool = False
    stored: Stored | None = None
    dropout: bool = False
    name: str = "flex_attention_backward"

    def text(self):
        """The module: one function, whose last arguments are the results."""
        scores, of_key = self.scores, self.wants_key or self.wants_value
        (query, key, value, out), row = scores.operands, scores.row
        given = scores.arguments({"dropout_p": scores.wide, "random": "tensor<2xi64>"} if self.dropout else {})
        given.types |= {"out": out, "grad_out": out, "lse": row} | ({"grad_lse": row} if self.has_grad_lse else {})
        lists = {"dq": scores.lists(given, "dq_") if self.wants_query else ""}
        if self.wants_query and self.stored is not None:
            lists["dq"] += given.clause("stored", dict(zip(("crow", "col"), self.stored.types(False))))
        lists["dkdv"] = scores.lists(given, "dkdv_", "q") if of_key else ""
        if of_key and self.stored is not None:
            own = zip(("transposed_crow", "transposed_col"), self.stored.types(True))
            lists["dkdv"] += given.clause("stored", dict(own))
        captures = " dropout(%dropout_p, %random : tensor<2xi64>)" if self.dropout else ""
        captures += scores.captured(given)
        # The ops: the name of each one's value, the op, its results and its own attributes.
        ops = [("dq", "dq", {"grad_query": query}, [])] if self.wants_query else []
        if self.wants_key and self.wants_value and not self.is_apart:
            ops.append(("dkdv", "dkdv", {"grad_key": key, "grad_value": value}, []))
        else:
            ops += [("dk", "dkdv", {"grad_key": key}, ['only = "dk"'])] * self.wants_key
            ops += [("dv", "dkdv", {"grad_value": value}, ['only = "dv"'])] * self.wants_value
        results = {name: own for _, _, outs, _ in ops for name, own in outs.items()}
        types = given.types | results
        body, values = self._before(out, row), []
        ins = f"%q, %k, %v, {self._upstream}, %lse2, %delta : {query}, {key}, {value}, {out}, {row}, {row}"
        for name, op, own, attributes in ops:
            attributes = program_text.dictionary([*scores.attributes(), *attributes])
            body.append(f"%{name}:{len(own)} = sattn.flex_attention_{op} scale(%scale)\n      ins({ins}){lists[op]}"
                        f"{captures}\n      outs({listed(own, types)}) -> {', '.join(own.values())}\n"
                        f"      {scores.regions}{attributes}")
            values += [f"%{name}#{place}" for place in range(len(own))]
        return program_text.function(self.name, types, given.names, results.values(), values,
                                     scores.constants + "".join(f"  {line}\n" for line in body))

    @property
    def _upstream(self):
        return "%cleared" if self.clears else "%grad_out"

    def _before(self, out, row):
        """Lines that compute the logarithms to the base 2, delta = rowsum(grad_out * out) - grad_lse and, where they
        are wanted, the gradients without those of queries that see no key."""
        element, wide = self.scores.dtype, self.scores.wide
        infinity, minus_infinity = ("7FF0000000000000", "FFF0000000000000") if wide == "f64" else ("7F800000", "FF800000")

        def generic(name, inputs, into, own, lines):
            """A linalg.generic on elements %x and %y of inputs, (value, type) each, whose result %r is of type own."""
            kinds = [*(kind for _, kind in inputs), own]
            dims = "bhid" if out in kinds else "bhi"
            maps = ", ".join(f"affine_map<({', '.join(dims)}) -> ({', '.join('bhid' if kind == out else 'bhi')})>"
                             for kind in kinds)
            last = '"reduction"' if own == row and len(dims) == 4 else '"parallel"'
            iterators = ", ".join(['"parallel"'] * (len(dims) - 1) + [last])
            elements = [element if kind == out else wide for kind in kinds]
            taken = ", ".join(f"%{letter}: {kind}" for letter, kind in zip("xy", elements[:-1]))
            body = "".join(f"    {line}\n" for line in lines)
            return (f"%{name} = linalg.generic {{indexing_maps = [{maps}], iterator_types = [{iterators}]}} "
                    f"ins({', '.join(value for value, _ in inputs)} : {', '.join(kinds[:-1])}) outs({into} : {own}) {{\n"
                    f"  ^bb0({taken}, %old: {elements[-1]}):\n{body}    linalg.yield %r : {elements[-1]}\n  }} -> {own}")

        lines = [f"%zero = arith.constant 0.0 : {wide}", f"%log2e = arith.constant {LOG2_E} : {wide}",
                 f"%infinity = arith.constant 0x{infinity} : {wide}", f"%none = arith.constant 0x{minus_infinity} : {wide}",
                 *(f"%dim{dim} = arith.constant {dim} : index" for dim in range(3)),
                 *(f"%n{dim} = tensor.dim %lse, %dim{dim} : {row}" for dim in range(3)),
                 f"%rows = tensor.empty(%n0, %n1, %n2) : {row}",
                 generic("lse2", [("%lse", row)], "%rows", row, [
                     f"%is_none = arith.cmpf oeq, %x, %none : {wide}", f"%scaled = arith.mulf %x, %log2e : {wide}",
                     f"%r = arith.select %is_none, %infinity, %scaled : {wide}"])]
        if self.clears:
            lines += [f"%nothing = arith.constant 0.0 : {element}", f"%tiles = tensor.empty(%n0, %n1, %n2) : {out}",
                      generic("cleared", [("%grad_out", out), ("%lse", row)], "%tiles", out, [
                          f"%is_none = arith.cmpf oeq, %y, %none : {wide}",
                          f"%r = arith.select %is_none, %nothing, %x : {element}"])]
        widened = [] if element == wide else [f"%wide_{name} = arith.extf %{name} : {element} to {wide}" for name in "xy"]
        product = "%wide_x, %wide_y" if widened else "%x, %y"
        lines += [f"%zeros = linalg.fill ins(%zero : {wide}) outs(%rows : {row}) -> {row}",
                  generic("total" if self.has_grad_lse else "delta", [(self._upstream, out), ("%out", out)], "%zeros", row, [
                      *widened, f"%product = arith.mulf {product} : {wide}", f"%r = arith.addf %product, %old : {wide}"])]
        if self.has_grad_lse:
            lines.append(generic("delta", [("%total", row), ("%grad_lse", row)], "%rows", row,
                                 [f"%r = arith.subf %x, %y : {wide}"]))
        return lines


class Gradients(typing.NamedTuple):
    """The arguments of flex_attention_backward beside a Request, which has no other results: the forward's output and
    lse, their gradients, the second None where lse has none, and which gradients are wanted, of query, of key, of
    value, and of each array that score_mod and mask_mod capture."""

    out: object
    lse: object
    grad_out: object
    grad_lse: object
    wants_query: bool = True
    wants_key: bool = True
    wants_value: bool = True
    of_arrays: tuple = ()


def _may_see_nothing(mask, band, score, lengths):
    """Whether some query may see no key, or its lse may be -inf all the same."""
    if score is not None or mask is not None and mask.function is not None:
        return True
    queries, keys = lengths
    if band is None:
        return not keys
    # Position 0 sees key 0 where positions count from the first and nothing before is cut.
    return not (keys >= queries and not band.bottom_right and (band.right is None or band.right >= 0)
                and (band.left is None or band.left >= 0))


def _new(array, keys=None):
    """A new array of another's shape, in the order of its memory; with `keys`, rows from there on are 0."""
    return new_in_order_of(array, tuple(array.shape), keys is not None and keys < array.shape[2])


def _plain_rows(array, arrays):
    """An upstream gradient as kernels read it: its last dimension is not repeated."""
    if arrays is adapters.NUMPY or array.stride(-1) == 1 or array.shape[-1] <= 1:
        return array
    return array.contiguous()


def _require_results(request, given, arrays):
    """Raises where the forward's results and their gradients are none of the request's."""
    query, value = request.query, request.value
    rows = tuple(query.shape[:3])
    whole = (*rows, value.shape[3])
    wide = "f64" if arrays.dtype(query.dtype) == "f64" else "f32"
    for name, array, shape, element in (("out", given.out, whole, None), ("grad_out", given.grad_out, whole, None),
                                        ("lse", given.lse, rows, wide), ("grad_lse", given.grad_lse, rows, wide)):
        if array is None and name == "grad_lse":
            continue
        adapters.require_same(name, array, arrays, "query")
        adapters.require_shape(name, array, shape)
        adapters.require_element(name, array, arrays, (element or arrays.dtype(query.dtype),))


def _plan_of(request, given, arrays, mask, lengths):
    """(the FlexAttention of the scores, the target, the program, or None where it has no result, and the objects that
    the key of the plan names by identity), of one kind of call."""
    score, band = request.score, request.band
    scores, target = source_of(request, arrays, mask or Mask(band=band), False)
    texts = {}
    if score is not None:  # Its other form has PyTorch's derivatives.
        own = [name for types in regions.types_of(score.captures, scores.wide) for name in types]
        texts["score_mod"] = regions.text(score, 0, list(scores.captures), scores.dtype in ("f16", "bf16"),
                                          is_derived=True, wide=scores.wide)
        assert list(scores.captures[:len(own)]) == own
    # Tiles that are given are the forward's.
    scores = dataclasses.replace(scores, lse=False, max_scores=False, packed=1, meta="", **texts)
    source = FlexAttentionBackward(
        scores, has_grad_lse=given.grad_lse is not None, wants_query=given.wants_query, wants_key=given.wants_key,
        wants_value=given.wants_value,
        is_apart=target != compiler.CPU and max(scores.head_dim, scores.value_dim) > WIDEST_TOGETHER,
        clears=_may_see_nothing(mask, band, score, lengths))
    program = None
    if given.wants_query or given.wants_key or given.wants_value:
        program = memory.with_memory(arrays, cache.program, source, target)
    return scores, target, program, (score, mask and mask.function, band)


def backward(request, given):
    """((the gradient of query or None, of key or None, of value or None), [that of each captured array or None]) of a
    Request and Gradients."""
    query, key, value, score = request.query, request.key, request.value, request.score
    arrays = flex_attention._arrays_of(query, key, value)[0]
    for name, array in (("query", query), ("key", key), ("value", value)):
        adapters.require_same(name, array, arrays, "query")
    sizes, _ = shapes_of(query, key, value, request.enable_gqa)
    _require_results(request, given, arrays)
    whole = whole_columns.filled_request(request)
    if whole is not None:
        return _backward_whole(request, whole, given)
    request, given = huge_scores.without(request, given, arrays)
    score = request.score
    mask = None
    if request.block_mask is not None:
        mask = request.mask_of(request.block_mask, request.band, arrays, sizes, None)
        if mask.values:
            direct_reads.require(mask.function, mask.values, sizes[2:])
    if request.score_values:
        direct_reads.require(score, request.score_values, sizes[2:])
    band = request.band
    keys = keys_read(mask, band, sizes[2], sizes[3])
    results = tuple(_new(array, end) if is_wanted else None for array, end, is_wanted in (
        (query, None, given.wants_query), (key, keys, given.wants_key), (value, keys, given.wants_value)))
    found = [array if array is None or place == 0 or keys >= sizes[3] else array[:, :, :keys]
             for place, array in enumerate(results)]
    if keys < sizes[3]:
        request = request._replace(key=key[:, :, :keys], value=value[:, :, :keys])
    lists = None if mask is None else mask.lists
    signature = ("flex_attention_backward", query.shape, request.key.shape, request.value.shape, query.dtype, key.dtype,
                 value.dtype, id(arrays), id(score), id(mask and mask.function), id(band), request.enable_gqa,
                 request.scale, request.options, mask and mask.facts_of_lists(), given.grad_lse is None, given[4:7])
    plan = cache.calls.get(signature)
    if plan is None:
        plan = cache.calls[signature] = _plan_of(request, given, arrays, mask, (sizes[2], keys))
    scores, target, program, _ = plan
    wanted = [number for number, capture in enumerate(score.captures if score else ()) if capture.kind == "array"]
    wanted = [number for number, own in zip(wanted, given.of_arrays) if own]
    gradients = {}
    if wanted:
        call = captured_gradients.Call(request, scores, target, arrays, mask, band)
        with_results = captured_gradients.numbers(given.out, given.grad_out, given.lse, given.grad_lse, arrays)
        gradients = {number: call.gradient(number, *with_results) for number in wanted}
    of_arrays = [gradients.get(number) for number, capture in enumerate(score.captures if score else ())
                 if capture.kind == "array"]
    # The number that huge scores are reduced by is the last of them.
    of_arrays = (of_arrays + [None] * len(given.of_arrays))[:len(given.of_arrays)]
    if not given.wants_query and not given.wants_key and not given.wants_value:
        return results, of_arrays
    passed = [] if scores.scale is not None else [request.scale]
    tensors = [request.query, request.key, request.value, given.out, _plain_rows(given.grad_out, arrays), given.lse]
    if given.grad_lse is not None:
        tensors.append(given.grad_lse)
    passed += map(arrays.passed, tensors)
    if lists is not None:
        if given.wants_query:
            passed += lists if lists[2] is not None else lists[:2]
        if given.wants_key or given.wants_value:
            other = transposed_lists.of(lists, (sizes[2], sizes[3]), mask.block, arrays)
            passed += other if other[2] is not None else other[:2]
    for function, values in ((score, request.score_values), mask and (mask.function, mask.values) or (None, None)):
        if values:
            passed += captured(function, values, arrays, scores.wide)
    passed += (arrays.passed(array) for array in found if array is not None)
    program._launch(*passed)
    return results, of_arrays


def _backward_whole(request, whole, given):
    """The result of backward for a Request, by another Request whose rows are whole vectors."""
    found, of_arrays = backward(whole, given._replace(out=whole_columns.filled(given.out),
                                                      grad_out=whole_columns.filled(given.grad_out)))
    own = request.query, request.key, request.value
    return tuple(None if gradient is None else whole_columns.copy(gradient, _new(array))
                 for gradient, array in zip(found, own)), of_arrays


def flex_attention_backward(grad_out, query, key, value, out, lse, score_mod=None, block_mask=None, scale=None,
                            enable_gqa=False,
                            kernel_options=None, *, grad_lse=None, causal=None, window=None, prefix=None):
    """(grad_query, grad_key, grad_value) of flex_attention with the same arguments.

    grad_out: (B, Hq, M, E) in query's type, the gradient of the output `out`. lse: (B, Hq, M) in f32, which the forward
    gave with return_lse; grad_lse: its gradient, or None. Heads and batches of key and value that several of query
    share add up. A query that sees no key contributes nothing, whatever its gradients are. Sums have one order: two
    calls give the same bits. In PyTorch, `backward` calls it.

    Raises ValueError or TypeError for arguments that do not fit, NotImplementedError for a score_mod without a
    derivative.
    """
    request = flex_attention._parsed(query, key, value, score_mod, block_mask, scale, enable_gqa, False,
                                     kernel_options, None, (causal, window, prefix))
    given = Gradients(out, lse, grad_out, grad_lse)
    if stand_ins.stands_for_others(query):
        return dispatch.call("flex_attention_backward", request=request, given=given, kernel_options=kernel_options)
    return backward(request, given)[0]


def _kernel(grad_out, grad_lse, out, lse, *arguments):
    *scores, kernel_options, wanted = arguments
    given = Gradients(out, lse, grad_out, grad_lse, *wanted[:3], of_arrays=tuple(wanted[3:]))
    found, of_arrays = ([grad_out.new_empty((0,)) if array is None else array for array in own]
                        for own in backward(request_of(*scores, False, False, kernel_options), given))
    return *found, of_arrays


def _like(array, is_wanted):
    """A tensor like the gradient of one."""
    if not is_wanted:
        return array.new_empty((0,))
    return _new(array) if array.dim() == 4 else torch.empty_like(array)


def _fake(grad_out, grad_lse, out, lse, query, key, value, score_mod, mask_mod, arrays, floats, integers, lists, mask,
          band, scale, enable_gqa, kernel_options, wanted):
    return (*map(_like, (query, key, value), wanted),
            [torch.empty_like(array) if own else array.new_empty((0,)) for array, own in zip(arrays, wanted[3:])])


def _arguments(request, given, kernel_options):
    *scores, _, _, options = arguments_of(request, kernel_options)
    return (given.grad_out, given.grad_lse, given.out, given.lse, *scores, options,
            [True] * 3 + [False] * len(scores[5]))


register(OpSpec(
    flex_attention_backward, "flex_attention_backward", schema=_SCHEMA, kernel=_kernel, fake=_fake,
    arguments=_arguments, result=lambda results, given: results[:3], returns="tuple[Any, Any, Any]",
    types={**TYPES, "grad_out": "_Array", "out": "_Array", "lse": "_Array", "grad_lse": "_Array | None"}))
