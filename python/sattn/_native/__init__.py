"""The native libraries: how they are found and loaded, and the arguments that C functions take."""
