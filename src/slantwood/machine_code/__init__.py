"""How kernels become machine code, in one shared library, and how Python calls it."""
