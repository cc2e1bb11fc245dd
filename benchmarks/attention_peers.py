"""Peers of benchmarks/flex_attention.py: other libraries' attention, for the rows that each can compute.

A peer is a function of (row, data) that gives a call, whose result is a tensor (B, H, S, D); the call's attribute
`with_plan`, if it has one, is a call that prepares its mask, too. It raises Skip with a reason where it cannot do the
row, and ImportError where its library is not installed. What depends on the mask alone (lists, plans, compilation) is
prepared once and not timed.
"""

import functools

import attention_rows
import torch
import torch.nn.functional as F


class Skip(Exception):
    """A row that a peer does not do."""


def with_plan(plan, run):
    """The call run(plan()), whose plan is made once, and its attribute `with_plan`."""
    kept = plan()

    def call():
        return run(kept)

    call.with_plan = lambda: run(plan())
    return call


def _pairs_of_lists(lists, device):
    """Counts and indices of partial and of full blocks as torch has them."""
    arrays = (lists.partial_counts, lists.partial_indices, lists.full_counts, lists.full_indices)
    return [torch.from_numpy(array).to(device) for array in arrays]


# ---------------------------------------------------------------------------
# PyTorch
# ---------------------------------------------------------------------------


def sdpa_does(row):
    """Whether SDPA computes the row's function; of other rows it is the yardstick, without their mask."""
    return row.mask in ("dense", "causal") and not row.score


def sdpa(row, data):
    """cuDNN's, through PyTorch: in every run, so that runs can be compared. Causal unless the row's mask is
    symmetric."""
    from torch.nn.attention import SDPBackend, sdpa_kernel

    is_causal = row.mask not in ("dense", "blocks", "document")

    def call():
        with sdpa_kernel(SDPBackend.CUDNN_ATTENTION):
            return F.scaled_dot_product_attention(data.q, data.k, data.v, is_causal=is_causal, scale=data.scale,
                                                  enable_gqa=row.group != 1)

    return call


@functools.cache
def _compiled_flex():
    from torch.nn.attention.flex_attention import flex_attention

    torch._dynamo.config.cache_size_limit = 1000
    return torch.compile(flex_attention, dynamic=False)


def score_function(row, device):
    """score_mod of a row for PyTorch, or None."""
    if row.score == "softcap":
        cap = attention_rows.CAP
        return lambda s, b, h, i, j: cap * torch.tanh(s / cap)
    if row.score == "alibi":
        slopes = torch.from_numpy(attention_rows.slopes(row.heads)).to(device)
        return lambda s, b, h, i, j: s + slopes[h] * (j - i)
    return None


def block_mask(row, data, block):
    """PyTorch's BlockMask of a row, from exact lists; None of a dense row."""
    from torch.nn.attention.flex_attention import BlockMask

    if row.mask == "dense":
        return None
    lists = data.lists if row.has_lists else attention_rows.lists(row, block)
    arrays = _pairs_of_lists(lists, data.q.device)
    # PyTorch wants a row of indices as long as there are blocks.
    blocks = -(-row.length // lists.block)
    arrays[1], arrays[3] = (F.pad(array, (0, blocks - array.shape[-1])) for array in (arrays[1], arrays[3]))
    visible = attention_rows.visible_function(row, data.numbers)
    return BlockMask.from_kv_blocks(*arrays, BLOCK_SIZE=lists.block, mask_mod=lambda b, h, i, j: visible(i, j),
                                    seq_lengths=(row.length, row.length))


def _flex(row, data, options):
    score, mask = score_function(row, data.q.device), block_mask(row, data, 128)
    if row.block < 128:
        options = {"BLOCK_M": row.block, "BLOCK_N": row.block, **options}
    function = _compiled_flex()
    return lambda: function(data.q, data.k, data.v, score_mod=score, block_mask=mask, scale=data.scale,
                            enable_gqa=row.group != 1, kernel_options=dict(options))


def flex(row, data):
    """torch.nn.attention.flex_attention, compiled: Triton."""
    return _flex(row, data, {})


def flex_flash(row, data):
    """The same over FlashAttention-4, for rows that FlashAttention-4 itself has no argument for."""
    import flash_attn.cute.interface  # noqa: F401

    if fa4_does(row):
        raise Skip("fa4 does this row itself")
    if row.mask == "blocks":
        raise Skip("fa4 does lists of blocks itself")
    return _flex(row, data, {"BACKEND": "FLASH"})


# ---------------------------------------------------------------------------
# FlashAttention-4 and cuDNN's open kernels: (B, S, H, D)
# ---------------------------------------------------------------------------


def first(result):
    """A result, or the first of several."""
    return result[0] if isinstance(result, (tuple, list)) else result


def _sequences_first(data):
    return tuple(tensor.transpose(1, 2).contiguous() for tensor in (data.q, data.k, data.v))


def fa4_does(row):
    """Whether FlashAttention-4 has arguments for the row."""
    return row.mask in ("dense", "causal", "window") and row.score != "alibi"


def fa4_options(row, data):
    """flash_attn_func's keyword arguments for a row that it does."""
    options = {"softmax_scale": data.scale}
    if row.mask != "dense":
        options["causal"] = True
    if row.mask == "window":
        options["window_size"] = (attention_rows.WINDOW, 0)
    if row.score == "softcap":
        options["softcap"] = attention_rows.CAP
    return options


def fa4(row, data):
    """FlashAttention-4 (flash_attn.cute)."""
    if row.mask == "blocks":
        return _fa4_blocks(row, data)
    from flash_attn.cute.interface import flash_attn_func

    if not fa4_does(row):
        raise Skip("has no argument for the mask; see flex_flash")
    q, k, v = _sequences_first(data)
    options = fa4_options(row, data)
    return lambda: first(flash_attn_func(q, k, v, **options)).transpose(1, 2)


def _fa4_blocks(row, data):
    from flash_attn.cute.block_sparsity import BlockSparseTensorsTorch
    from flash_attn.cute.interface import _flash_attn_fwd

    q, k, v = _sequences_first(data)
    _, _, counts, indices = _pairs_of_lists(data.lists, q.device)
    indices = F.pad(indices, (0, row.length // row.block - indices.shape[-1]))
    blocks = BlockSparseTensorsTorch(
        mask_block_cnt=torch.zeros_like(counts), mask_block_idx=torch.zeros_like(indices), full_block_cnt=counts,
        full_block_idx=indices, block_size=(row.block, row.block))
    return lambda: first(_flash_attn_fwd(q, k, v, softmax_scale=data.scale, block_sparse_tensors=blocks)).transpose(1, 2)


def cudnn_intervals(row, q):
    """The keys that each query sees, as create_mask_plan takes them."""
    bounds = [bound for interval in attention_rows.intervals(row) for bound in interval]
    # [0, first end), then pairs of begin and end.
    bounds = [0 * bounds[0], *bounds] if bounds[0].any() else bounds[1:]
    bounds = torch.stack([torch.from_numpy(bound) for bound in bounds]).int()[None]
    return bounds.repeat(1, 1, row.batch).contiguous().to(q.device)


def cudnn_flex(row, data):
    """cudnn.flex_attention of NVIDIA's front end."""
    from cudnn.flex_attention import create_mask_plan, flex_attn_func

    if row.score or row.mask == "blocks":
        raise Skip("takes intervals of keys only")
    q, k, v = _sequences_first(data)
    bounds = cudnn_intervals(row, q)

    def plan():
        return create_mask_plan(bounds, q, k, v, build_backward=False)

    def run(plan):
        return first(flex_attn_func(q, k, v, mask_plan=plan, softmax_scale=data.scale)).transpose(1, 2)

    return with_plan(plan, run)


def cudnn_bsa(row, data):
    """cudnn.BSA of NVIDIA's front end."""
    from cudnn.block_sparse_attention.api import block_sparse_attention_forward

    if row.mask != "blocks":
        raise Skip("takes lists of blocks only")
    indices = torch.from_numpy(data.lists.full_indices).to(data.q.device)

    return lambda: block_sparse_attention_forward(data.q, data.k, data.v, indices, sparse_block_size=row.block,
                                                  softmax_scale=data.scale)["o_tensor"]


# In the order of their measurement; sdpa, the yardstick, is the first.
PEERS = {"sdpa": sdpa, "fa4": fa4, "flex": flex, "flex_flash": flex_flash, "cudnn_flex": cudnn_flex,
         "cudnn_bsa": cudnn_bsa}
# The package whose version says which peer it was.
PACKAGES = {"fa4": "flash-attn-4", "flex_flash": "flash-attn-4", "cudnn_flex": "nvidia-cudnn-frontend",
            "cudnn_bsa": "nvidia-cudnn-frontend"}


def versions():
    """{package: version, or why not}."""
    from importlib import metadata

    found = {}
    for package in PACKAGES.values():
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = "not installed"
    return found
