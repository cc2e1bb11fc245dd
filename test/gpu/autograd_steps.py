"""Steps of a training on a GPU: in a CUDA graph, and many of them."""

import torch


def check_capture(step, change):
    """A step, which returns tensors, in one CUDA graph, replayed after `change()` has written other values."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        step()
        step()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = step()
    with torch.no_grad():
        change()
    graph.replay()
    torch.cuda.synchronize()
    for one, other in zip(found, step()):
        torch.testing.assert_close(one, other)


def check_memory(step):
    """The memory that PyTorch has allocated does not grow with steps."""
    for _ in range(10):
        step()
    torch.cuda.synchronize()
    before = torch.cuda.memory_allocated()
    for _ in range(1000):
        step()
    assert torch.cuda.memory_allocated() == before
