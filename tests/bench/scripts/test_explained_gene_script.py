"""Claims about the script that explains a gene."""

import pytest

from slantwood_bench.scripts import explained_gene
from slantwood_bench.scripts.data import available


@pytest.mark.real_data
@pytest.mark.skipif(not available(), reason="the real data sets are not here")
def test_a_gene_is_drawn_and_its_neighbours_are_told(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    explained_gene.main([str(tmp_path / "gene.png"), "--trees", "3"])
    assert (tmp_path / "gene.png").stat().st_size > 5000
    assert "neighbour" in capsys.readouterr().out
