"""Calls of flex_attention whose gradients are compared with those of attention in float64, on any device."""

import dataclasses
import math
import typing

import torch

import sattn


@dataclasses.dataclass(frozen=True)
class Case:
    """score_mod: (captured tensors) -> a score_mod, which PyTorch computes as well. captures: makes them, of (sizes, a function
    that makes a tensor of a shape). visible: (b, h, q, kv) -> which keys are seen; mask: whether a BlockMask says it, else
    `named` do."""

    batch: int = 2
    heads: int = 4
    groups: int = 4
    queries: int = 200
    keys: int = 170
    columns: int = 64
    value_columns: int = 64
    kv_batch: int | None = None
    score_mod: typing.Callable | None = None
    captures: typing.Callable | None = None
    visible: typing.Callable | None = None
    mask: bool = False
    block: int = 64
    named: dict = dataclasses.field(default_factory=dict)
    scale: float | None = None
    lse: bool = True


def _softcap(score, b, h, q, kv):
    return 2 * torch.tanh(score / 2)


def _causal(b, h, q, kv):
    return q >= kv


CASES = {
    "dense": Case(),
    "causal": Case(visible=_causal, named={"causal": True}),
    "causal_longer_keys": Case(keys=333, visible=_causal, named={"causal": True}),
    "bottom_right": Case(visible=lambda b, h, q, kv: kv <= q + 170 - 200, named={"causal": "bottom_right"}),
    "window": Case(visible=lambda b, h, q, kv: (kv <= q) & (q - kv <= 50), named={"causal": True, "window": (50, None)}),
    "prefix": Case(visible=lambda b, h, q, kv: (kv <= q) | (kv < 70), named={"causal": True, "prefix": 70}),
    "grouped": Case(groups=2, visible=_causal, named={"causal": True}),
    "one_group": Case(groups=1),
    "groups_of_3": Case(heads=6, groups=2, visible=_causal, named={"causal": True}),
    "one_kv_batch": Case(batch=3, kv_batch=1, groups=2, visible=_causal, named={"causal": True}),
    "value_columns": Case(columns=48, value_columns=96),
    "odd_columns": Case(columns=33, value_columns=5),
    "one_column": Case(queries=40, keys=50, columns=1, value_columns=3, visible=_causal, named={"causal": True}),
    "prime_columns": Case(batch=1, heads=2, groups=1, queries=20, keys=30, columns=131, value_columns=509),
    "wide": Case(columns=128, value_columns=128, visible=_causal, named={"causal": True}),
    "wider": Case(columns=256, value_columns=256, heads=2, groups=2, visible=_causal, named={"causal": True}),
    "widest": Case(columns=512, value_columns=512, heads=1, groups=1, batch=1),
    "few_queries": Case(queries=5, keys=300, groups=2),
    "one": Case(queries=1, keys=1),
    "derived_mask": Case(visible=lambda b, h, q, kv: (q >= kv) & (q - kv < 77), mask=True),
    "lists": Case(visible=lambda b, h, q, kv: (q * 3 + kv * 5) % 7 < 3, mask=True),
    "lists_by_head": Case(visible=lambda b, h, q, kv: (q // 64 + kv // 64 + h) % 2 == 0, mask=True, groups=2),
    "negative_scale": Case(scale=-0.3, visible=_causal, named={"causal": True}),
    "no_lse": Case(lse=False),
    "softcap": Case(score_mod=lambda: _softcap, visible=_causal, named={"causal": True}),
    "masked_by_score": Case(score_mod=lambda: lambda s, b, h, q, kv: torch.where((q + kv) % 3 == 0, -torch.inf, s)),
    "per_head": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[h], captures=lambda c, make: [make(c.heads)]),
    "per_batch_and_head": Case(score_mod=lambda t: lambda s, b, h, q, kv: s * t[b, h], captures=lambda c, make: [make(c.batch, c.heads)]),
    "per_query": Case(score_mod=lambda t: lambda s, b, h, q, kv: s * t[b, q], captures=lambda c, make: [make(c.batch, c.queries)]),
    "per_key": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[kv], captures=lambda c, make: [make(c.keys)], groups=2),
    "bias": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[h, q, kv], captures=lambda c, make: [make(c.heads, c.queries, c.keys)],
                 visible=_causal, named={"causal": True}),
    "bias_of_all": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[b, h, q, kv],
                        captures=lambda c, make: [make(c.batch, c.heads, c.queries, c.keys)], queries=70, keys=90),
    "shared_bias": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[q, kv], captures=lambda c, make: [make(c.queries, c.keys)]),
    "flipped_bias": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[kv, q], captures=lambda c, make: [make(c.keys, c.queries)]),
    "distance": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[h, torch.abs(q - kv)],
                     captures=lambda c, make: [make(c.heads, max(c.queries, c.keys))]),
    "buckets": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[h, torch.clamp(q - kv + 20, 0, 40)],
                    captures=lambda c, make: [make(c.heads, 41)], groups=2, visible=_causal, named={"causal": True}),
    "two_reads": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[q] + t[kv], captures=lambda c, make: [make(max(c.queries, c.keys))]),
    "gate": Case(score_mod=lambda g, t: lambda s, b, h, q, kv: s * torch.sigmoid(g[h]) + t[h, kv],
                 captures=lambda c, make: [make(c.heads), make(c.heads, c.keys)]),
    "detached_score": Case(score_mod=lambda: lambda s, b, h, q, kv: s * torch.sigmoid(s).detach() + s.detach() * s.detach()),
    "detached_table": Case(score_mod=lambda t: lambda s, b, h, q, kv: s * t.detach()[h] + t[h] * s.detach() + t[h].detach(),
                           captures=lambda c, make: [make(c.heads)], visible=_causal, named={"causal": True}),
    "number": Case(score_mod=lambda t: lambda s, b, h, q, kv: torch.tanh(s * t), captures=lambda c, make: [make()]),
    "bias_with_lists": Case(score_mod=lambda t: lambda s, b, h, q, kv: s + t[h, q, kv],
                            captures=lambda c, make: [make(c.heads, c.queries, c.keys)],
                            visible=lambda b, h, q, kv: (q * 3 + kv * 5) % 7 < 3, mask=True),
}


def operands(case, device, dtype, seed=0):
    """([query, key, value], captured tensors, the gradients of the output and of lse)."""
    generator = torch.Generator(device).manual_seed(seed)

    def make(*shape, dtype=dtype):
        return torch.randn(shape, generator=generator, device=device).to(dtype)

    kv_batch = case.batch if case.kv_batch is None else case.kv_batch
    own = [make(case.batch, case.heads, case.queries, case.columns), make(kv_batch, case.groups, case.keys, case.columns),
           make(kv_batch, case.groups, case.keys, case.value_columns)]
    captures = case.captures(case, lambda *shape: make(*shape, dtype=torch.float32)) if case.captures else []
    return own, captures, (make(case.batch, case.heads, case.queries, case.value_columns),
                           make(case.batch, case.heads, case.queries, dtype=torch.float32))


def mask_of(case, device):
    if not case.mask:
        return None
    return sattn.create_block_mask(case.visible, case.batch, case.heads, case.queries, case.keys, device=device, BLOCK_SIZE=case.block)


def gradients(case, device, dtype, seed=0, **options):
    """Gradients of query, key, value and captured tensors, by sattn."""
    own, captures, (grad_out, grad_lse) = operands(case, device, dtype, seed)
    inputs = [tensor.requires_grad_() for tensor in (*own, *captures)]
    score_mod = case.score_mod(*captures) if case.score_mod else None
    out, lse = sattn.flex_attention(*own, score_mod, mask_of(case, device), case.scale, case.groups != case.heads, True, **case.named,
                                    **options)
    if case.lse:
        return torch.autograd.grad([out, lse], inputs, [grad_out, grad_lse])
    return torch.autograd.grad(out, inputs, grad_out)


def expected(case, device, dtype, seed=0):
    """The same in float64, by PyTorch."""
    own, captures, (grad_out, grad_lse) = operands(case, device, dtype, seed)
    inputs = [tensor.double().requires_grad_() for tensor in (*own, *captures)]
    query, key, value, *captures = inputs
    key, value = (tensor.expand(case.batch, -1, -1, -1).repeat_interleave(case.heads // case.groups, 1) for tensor in (key, value))
    b, h, q, kv = (torch.arange(size, device=device).view([-1 if axis == place else 1 for place in range(4)])
                   for axis, size in enumerate((case.batch, case.heads, case.queries, case.keys)))
    scores = query @ key.transpose(-1, -2) * (case.scale or 1 / math.sqrt(case.columns))
    if case.score_mod:
        scores = case.score_mod(*captures)(scores, b, h, q, kv)
    if case.visible:
        scores = scores.masked_fill(~case.visible(b, h, q, kv), -torch.inf)
    is_empty = (scores == -torch.inf).all(-1, keepdim=True)
    scores = scores.masked_fill(is_empty, 0)
    out = (torch.softmax(scores, -1) * ~is_empty) @ value
    lse = torch.logsumexp(scores, -1) * ~is_empty[..., 0]
    loss = (out * grad_out.double()).sum()
    if case.lse:
        loss = loss + (lse * grad_lse.double()).sum()
    return torch.autograd.grad(loss, inputs)


def errors(found, wanted):
    """The relative norm of the error of each gradient."""
    return [float((own.double() - other).norm() / other.norm().clamp(min=1e-3)) for own, other in zip(found, wanted)]
