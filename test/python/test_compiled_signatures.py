"""The function that torch.compile runs in the place of another, where that is written by hand, takes that function's arguments: without PyTorch, by its text."""

import ast
import inspect


def test_signatures(root, sattn):
    tree = ast.parse((root / "python" / "sattn" / "torch" / "dynamo.py").read_text())
    found = {}
    for function in tree.body:
        for decorator in getattr(function, "decorator_list", ()):
            if isinstance(decorator, ast.Call) and ast.unparse(decorator.func).endswith("substitute_in_graph"):
                name = ast.unparse(decorator.args[0]).rpartition(".")[2]
                given = function.args
                found[name] = ([argument.arg for argument in given.args], [argument.arg for argument in given.kwonlyargs],
                               [ast.literal_eval(value) for value in (*given.defaults, *given.kw_defaults)])
    assert set(found) == {"create_block_mask", "flex_attention", "scaled_dot_product_attention"}
    for name, signature in found.items():
        parameters = inspect.signature(getattr(sattn, name)).parameters.values()
        assert signature == ([one.name for one in parameters if one.kind == one.POSITIONAL_OR_KEYWORD],
                             [one.name for one in parameters if one.kind == one.KEYWORD_ONLY],
                             [one.default for one in parameters if one.default is not one.empty]), name
