"""Measures as people write them."""

# Parts of names that are not printed as they are written.
_SPELT = (
    "F1",
    "AUC",
    "LRAP",
    "Hamming",
    "AUPRC",
    "R2",
    "RMSE",
    "MAE",
    "RRMSE",
    "aRRMSE",
    "AUROC",
    "NDCG",
    "Brier",
    "Matthews",
)
_WORDS = {word.lower(): word for word in _SPELT}


def measure_name(measure: str) -> str:
    """Return a measure's name as it is printed."""
    return " ".join(_WORDS.get(word, word) for word in measure.split("_"))
