"""A few tests in the style of PyTorch's own of flex attention, for scripts/torch_flex_tests.py to run."""

import functools
import unittest

import torch
from torch.nn.attention.flex_attention import create_block_mask, flex_attention
from torch.testing._internal.common_device_type import instantiate_device_type_tests
from torch.testing._internal.common_utils import TestCase

S = 2048


def causal(b, h, q, kv):
    return q >= kv


def times_two(score, b, h, q, kv):
    return score * 2


class TestFlexAttention(TestCase):
    def run_test(self, device, requires_grad=False, dtype=torch.float32, wrong=0, **options):
        torch.manual_seed(0)
        arrays = [torch.randn(1, 2, 64, 16, device=device, dtype=dtype, requires_grad=requires_grad) for _ in range(3)]
        attention = functools.partial(flex_attention, **options)
        found, expected = torch.compile(attention)(*arrays), attention(*arrays)
        self.assertEqual(found + wrong, expected, atol=1e-4, rtol=0)
        if requires_grad:
            gradients = (torch.autograd.grad(out.square().sum(), arrays) for out in (found, expected))
            self.assertEqual(*gradients, atol=1e-4, rtol=0)

    def test_score(self, device):
        self.run_test(device, score_mod=times_two)

    def test_mask(self, device):
        self.run_test(device, block_mask=create_block_mask(causal, None, None, 64, 64, device=device))

    def test_decorator(self, device):
        @torch.compile(fullgraph=True)
        def attention(*arrays):
            return flex_attention(*arrays, score_mod=times_two)

        arrays = [torch.ones(1, 1, 16, 16, device=device)] * 3
        self.assertEqual(attention(*arrays), torch.ones(1, 1, 16, 16))

    def test_that_nothing_is_compiled(self, device):
        arrays = [torch.ones(1, 1, 16, 16, device=device)] * 3
        self.assertEqual(flex_attention(*arrays), torch.ones(1, 1, 16, 16))

    def test_gradients(self, device):
        self.run_test(device, requires_grad=True)

    def test_doubles(self, device):
        self.run_test(device, dtype=torch.float64)

    def test_a_difference(self, device):
        self.run_test(device, wrong=1)

    def test_that_nothing_is_raised(self, device):
        with self.assertRaisesRegex(ValueError, "expected something else"):
            self.run_test(device)

    def test_counters(self, device):
        counters = dict.fromkeys(["frames"], 0)
        self.run_test(device)
        self.assertEqual(counters["frames"], 1)

    def test_length(self, device):
        self.assertEqual(torch.ones(2, device="cuda").cuda().device.type, device)
        self.assertEqual(S, 2048)

    @unittest.skip("needs another machine")
    def test_skipped(self, device):
        pass


class TestBlockMask(TestCase):
    def test_blocks(self):
        mask = create_block_mask(causal, 1, 1, 64, 64)
        self.assertEqual(mask.kv_num_blocks.device.type, "cuda")
        self.assertEqual(type(mask).__module__.partition(".")[0], "sattn")


instantiate_device_type_tests(TestFlexAttention, globals(), only_for=("cpu", "cuda"))
