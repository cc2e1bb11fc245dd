"""Backwards of others beside sattn's: calls that give the gradients of query, key and value, each (B, H, S, D)."""

import attention_peers
import torch
from attention_peers import Skip


def by_autograd(forward, tensors, upstream):
    """The gradients of tensors, by torch.autograd.grad of a graph that is retained."""
    out = forward()
    return lambda: torch.autograd.grad(out, tensors, upstream, retain_graph=True)


def _of_peer(name):
    """The same of a forward that reads the row's own tensors."""
    return lambda row, data, upstream: by_autograd(attention_peers.PEERS[name](row, data), (data.q, data.k, data.v), upstream)


def _sequences_first(data, upstream):
    """(B, S, H, D) of query, key and value, which require a gradient, and of the upstream gradient."""
    tensors = tuple(tensor.detach().transpose(1, 2).contiguous().requires_grad_() for tensor in (data.q, data.k, data.v))
    return tensors, upstream.transpose(1, 2).contiguous()


def _heads_first(call):
    return lambda: [gradient.transpose(1, 2) for gradient in call()]


def fa4(row, data, upstream):
    """FlashAttention-4 (flash_attn.cute)."""
    from flash_attn.cute.interface import flash_attn_func

    if row.mask == "blocks" or not attention_peers.fa4_does(row):
        raise Skip("has no argument for the mask in its backward")
    tensors, upstream = _sequences_first(data, upstream)
    options = attention_peers.fa4_options(row, data)
    return _heads_first(by_autograd(lambda: attention_peers.first(flash_attn_func(*tensors, **options)), tensors, upstream))


def _cudnn_flex(row, data, upstream, deterministic):
    from cudnn.flex_attention import create_mask_plan, flex_attn_func

    if row.score or row.mask == "blocks":
        raise Skip("takes intervals of keys only")
    tensors, upstream = _sequences_first(data, upstream)
    plan = create_mask_plan(attention_peers.cudnn_intervals(row, tensors[0]), *tensors, build_backward=True)
    return _heads_first(by_autograd(lambda: attention_peers.first(flex_attn_func(
        *tensors, mask_plan=plan, softmax_scale=data.scale, deterministic=deterministic)), tensors, upstream))


def cudnn_flex(row, data, upstream):
    """cudnn.flex_attention of NVIDIA's front end, sums in one order, as ours. Its plan is made before."""
    return _cudnn_flex(row, data, upstream, True)


def cudnn_flex_atomic(row, data, upstream):
    """The same, sums in any order."""
    return _cudnn_flex(row, data, upstream, False)


def cudnn_bsa(row, data, upstream):
    """cudnn.BSA of NVIDIA's front end."""
    from cudnn.block_sparse_attention import api

    if row.mask != "blocks":
        raise Skip("takes lists of blocks only")
    q, k, v = (tensor.detach() for tensor in (data.q, data.k, data.v))
    indices = torch.from_numpy(data.lists.full_indices).to(q.device)
    options = {"sparse_block_size": row.block, "softmax_scale": data.scale}
    found = api.block_sparse_attention_forward(q, k, v, indices, **options)

    def call():
        gradients = api.block_sparse_attention_backward(upstream, q, k, v, found["o_tensor"], found["lse_tensor"], indices, **options)
        return [gradients[f"d{name}_tensor"] for name in "qkv"]

    return call


PEERS = {"sdpa": _of_peer("sdpa"), "flex": _of_peer("flex"), "fa4": fa4, "cudnn_flex": cudnn_flex,
         "cudnn_flex_atomic": cudnn_flex_atomic, "cudnn_bsa": cudnn_bsa}
