"""The native libraries: how they are found and loaded, and the texts that C takes."""
