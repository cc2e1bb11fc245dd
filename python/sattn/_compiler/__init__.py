"""The compiler, its programs, and the choice of tile parameters."""
