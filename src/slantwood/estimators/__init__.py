"""What users touch: estimators that keep scikit-learn's contract. No mathematics here."""
