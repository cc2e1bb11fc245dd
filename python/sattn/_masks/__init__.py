"""Masks of attention: functions, lists of blocks, and what is known of both."""
