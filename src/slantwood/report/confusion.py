"""Which classes are taken for which others, as a table."""

from __future__ import annotations

import numpy as np

from slantwood.report.markup import Markup, joined, note, tag
from slantwood.report.subject import Subject

MOST_CLASSES = 15


def confusion(subject: Subject) -> Markup:
    """Count true classes against predicted ones."""
    names = subject.output_names
    if len(names) > MOST_CLASSES:
        return note(f"A table of confusions is left out: it would have {len(names):,} rows and columns.")
    place = {name: k for k, name in enumerate(names)}
    truth = [place.get(str(each), -1) for each in subject.truth.tolist()]
    predicted = [place.get(str(each), -1) for each in np.asarray(subject.model.predict(subject.X)).tolist()]
    counts = np.zeros((len(names), len(names)), int)
    for true, said in zip(truth, predicted, strict=True):
        if true >= 0 and said >= 0:
            counts[true, said] += 1
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    head = tag("tr", tag("th", "true \\ predicted", scope="col"), *(tag("th", n, scope="col") for n in names))
    lines = [
        tag(
            "tr",
            tag("th", name, scope="row"),
            *(
                tag("td", f"{counts[i, j]:,}", class_="n heat", style=f"--part:{shares[i, j]:.2f}")
                for j in range(len(names))
            ),
        )
        for i, name in enumerate(names)
    ]
    caption = "True classes (rows) and predicted ones (columns)"
    content = tag("table", tag("caption", caption), tag("thead", head), tag("tbody", *lines))
    return joined(tag("div", content, class_="scroll", role="region", aria_label=caption, tabindex="0"))
