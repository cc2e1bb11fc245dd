"""The package's operations, a file each."""
