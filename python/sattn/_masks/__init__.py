"""Masks of attention: functions, block lists, and facts of both."""
