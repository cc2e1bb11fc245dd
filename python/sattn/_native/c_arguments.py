"""Conversions of Python arguments to text and integers for C functions."""

import operator

# How bytecode of MLIR begins.
BYTECODE = b"ML\xefR"


def source_bytes(source):
    """The bytes of a module of MLIR. Raises TypeError for anything but text and bytecode."""
    if isinstance(source, str):
        return text_bytes("source", source)
    if not isinstance(source, bytes):
        raise TypeError(f"argument 'source': expected text or bytecode of MLIR, but got {type(source).__name__}")
    if not source.startswith(BYTECODE):
        try:
            source.decode()
        except UnicodeDecodeError as error:
            raise TypeError("argument 'source': expected text in UTF-8 or bytecode of MLIR, but got bytes that are "
                            f"neither, from byte {error.start} on") from None
    return source


def text_bytes(name, text):
    """The bytes of a text. Raises TypeError for anything else, ValueError for characters that are none."""
    if not isinstance(text, str):
        raise TypeError(f"argument '{name}': expected a str, but got {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"argument '{name}': expected text, but got {text[error.start]!r} at {error.start}") from None


def c_string(name, text):
    """As text_bytes, for a text that C takes: ValueError for one that contains the character 0."""
    encoded = text_bytes(name, text)
    if b"\0" in encoded:
        raise ValueError(f"argument '{name}': expected text without the character 0, but got {text!r}")
    return encoded


def integer(name, value):
    """An int. Raises TypeError for anything else, ValueError for one that 64 bits do not hold."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"argument '{name}': expected an integer, but got {type(value).__name__}") from None
    if not -2**63 <= number < 2**63:
        raise ValueError(f"argument '{name}': expected an integer of 64 bits, but got {number}")
    return number
