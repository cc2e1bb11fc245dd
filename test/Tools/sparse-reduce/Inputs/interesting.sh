#!/bin/sh
# The fault is to have the op. Exit status 1: the program is valid and shows it.
sparse-opt "$1" -o /dev/null 2>/dev/null && grep -q sattn.bsr_addmm "$1" && exit 1
exit 0
