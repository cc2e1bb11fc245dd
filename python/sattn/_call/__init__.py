"""Calls: memory, arguments, kept programs, guards of repeated calls, explanations."""
