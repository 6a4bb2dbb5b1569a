"""The paper's study (`slantwood bench`), and the benchmark scripts behind the docs."""
