"""How kernels become machine code, where that is kept, and how Python calls it."""
