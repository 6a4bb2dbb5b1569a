"""ARFF files of Weka, Mulan, MEKA and CLUS: their text, their types, and the lists that belong to them."""
