"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const element = (name, className, ...children) => {
    const made = document.createElement(name);
    if (className) made.className = className;
    made.append(...children);
    return made;
  };
  const number = value => {
    if (Number.isInteger(value)) return value.toLocaleString("en").replace("-", "\u2212");
    return Number(value.toPrecision(4)).toString().replace(/^-/, "\u2212");
  };

  // ---- tables: a button in every heading sorts by its column

  const valueOf = cell => {
    const text = cell.textContent.trim();
    const plain = text.replaceAll(",", "").replace("\u2212", "-").replace(/^< /, "").replace(/ %$/, "");
    return plain !== "" && !Number.isNaN(Number(plain)) ? Number(plain) : text;
  };
  const missing = value => value === "" || value === "\u2013";
  const compare = (one, other) =>
    typeof one === "number" && typeof other === "number" ? one - other
      : typeof one === "number" ? -1
        : typeof other === "number" ? 1 : one.localeCompare(other);

  const sort = (heading, column) => {
    const table = heading.closest("table");
    const rising = heading.getAttribute("aria-sort") === "descending"
      || (!heading.hasAttribute("aria-sort") && column === 0);
    for (const other of table.querySelectorAll("th[aria-sort]")) other.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", rising ? "ascending" : "descending");
    const lines = [...table.tBodies[0].rows].map(line => [valueOf(line.cells[column]), line]);
    lines.sort(([one], [other]) => {
      if (missing(one) || missing(other)) return missing(one) - missing(other);
      return rising ? compare(one, other) : compare(other, one);
    });
    table.tBodies[0].append(...lines.map(([, line]) => line));
  };

  for (const table of document.querySelectorAll("table.sortable")) {
    [...table.tHead.rows[0].cells].forEach((heading, column) => {
      if (!heading.textContent) return;
      const button = element("button", "", ...heading.childNodes);
      button.type = "button";
      button.addEventListener("click", () => sort(heading, column));
      heading.append(button);
    });
  }

  // ---- trees: each is read from its block of data when it is chosen, and drawn as far as it is opened

  const block = byId("tree-names");
  if (!block) return;
  const names = JSON.parse(block.textContent);
  const [view, detail, status] = ["tree-view", "tree-detail", "tree-status"].map(byId);
  const [choice, search] = ["tree-choice", "tree-search"].map(byId);
  const MOST_OPENED = 200;
  let tree, matches = [], current = -1, places = new Map();

  const parents = left => {
    const found = new Array(left.length).fill(-1);
    left.forEach((child, node) => { if (child) found[child] = found[child + 1] = node; });
    return found;
  };
  const isSplit = node => tree.w[node] !== 0;
  const condition = node => {
    const weights = tree.w[node];
    if (tree.k[node] === 1) {
      const [feature, weight] = weights[0];
      return `${names.features[feature]} ${weight > 0 ? "\u2265" : "\u2264"} ${number(tree.b[node])}`;
    }
    const terms = weights.slice(0, 2).map(([feature, weight], place) => {
      const sign = weight < 0 ? "\u2212" : place ? "+" : "";
      return `${sign}${place ? " " : ""}${number(Math.abs(weight))} ${names.features[feature]}`;
    });
    const more = tree.k[node] - terms.length;
    return `${terms.join(" ")}${more > 0 ? ` + ${more} more` : ""} \u2265 ${number(tree.b[node])}`;
  };
  const valueText = value => names.kind === "share" ? `${number(Math.round(1000 * value) / 10)} %`
    : names.kind === "step" && value > 0 ? `+${number(value)}` : number(value);
  const content = (node, most) => {
    const shown = tree.v[node].slice(0, most).map(([output, value]) => `${names.outputs[output]} ${valueText(value)}`);
    return shown.join(", ") || "\u2013";
  };
  const rowsText = node => tree.n ? ` ${number(tree.n[node])} rows` : "";

  const bars = (caption, lines) => {
    const table = element("table", "bars", element("caption", "", caption));
    const body = table.createTBody();
    const largest = Math.max(...lines.map(([, size]) => Math.abs(size)), 1e-300);
    for (const [name, size, text] of lines) {
      const fill = element("span", size < 0 ? "fill minus" : "fill");
      fill.style.width = `${100 * Math.abs(size) / largest}%`;
      const heading = element("th", "", name);
      heading.scope = "row";
      body.append(element("tr", "", heading, element("td", "b", element("span", "bar", fill)), element("td", "n", text)));
    }
    return table;
  };

  const show = node => {
    const parts = [element("h3", "", isSplit(node) ? `${condition(node)}?` : "Leaf")];
    if (tree.n) {
      parts.push(element("p", "hint", `${number(tree.n[node])} of ${number(tree.n[0])} training rows`));
    }
    if (isSplit(node)) {
      const lines = tree.w[node].map(([feature, weight, part]) =>
        [names.features[feature], weight < 0 ? -part : part, `${number(weight)} (${part} %)`]);
      const more = tree.k[node] - lines.length;
      parts.push(bars("Weights, and their shares", lines));
      if (more > 0) parts.push(element("p", "hint", `and ${more.toLocaleString("en")} smaller weights`));
    }
    if (tree.v[node].length) {
      const title = isSplit(node) ? "Mean of the leaves below" : names.kind === "step" ? "Adds to the scores" : "Predicts";
      parts.push(bars(title, tree.v[node].map(([output, value]) => [names.outputs[output], value, valueText(value)])));
    }
    else if (!isSplit(node)) parts.push(element("p", "hint", "No label has a training row here."));
    detail.replaceChildren(...parts);
  };

  const line = (node, side) => {
    const open = tree.l[node] > 0;
    const button = element("button", open ? "node" : "node leaf");
    button.type = "button";
    if (side) button.append(element("span", "side", `${side} `));
    if (open) button.append(`${condition(node)}?`);
    else if (isSplit(node)) {
      button.append(`${condition(node)}? \u2026 ${(tree.x[node] || 0).toLocaleString("en")} nodes below are not in this page`);
    } else button.append(`${content(node, 3)}`);
    button.append(element("span", "rows", rowsText(node)));
    const item = element("li", "", button);
    places.set(node, { item, button });
    if (open) {
      button.setAttribute("aria-expanded", "false");
      button.addEventListener("click", () => toggle(node));
    }
    for (const event of ["focus", "mouseenter", "click"]) button.addEventListener(event, () => show(node));
    if (matches.includes(node)) button.classList.add("found");
    return item;
  };

  const toggle = (node, wanted) => {
    const { item, button } = places.get(node);
    const is = button.getAttribute("aria-expanded") === "true";
    if (wanted === is) return;
    button.setAttribute("aria-expanded", String(!is));
    if (is) {
      item.lastElementChild.hidden = true;
      return;
    }
    if (item.children.length > 1) {
      item.lastElementChild.hidden = false;
      return;
    }
    const child = tree.l[node];
    item.append(element("ul", "", line(child + 1, "yes:"), line(child, "no:")));
  };

  const reveal = node => {
    const path = [];
    for (let at = tree.parent[node]; at >= 0; at = tree.parent[at]) path.unshift(at);
    path.forEach(each => toggle(each, true));
  };

  const draw = index => {
    const data = byId(`tree-${index}`);
    tree = JSON.parse(data.textContent);
    tree.parent = parents(tree.l);
    places = new Map();
    matches = [];
    current = -1;
    view.replaceChildren(element("ul", "", line(0, "")));
    [0, tree.l[0], tree.l[0] + 1].forEach(node => { if (tree.l[node]) toggle(node, true); });
    show(0);
    const cut = Object.keys(tree.x).length;
    status.textContent = `Tree ${index} has ${tree.l.length.toLocaleString("en")} nodes here`
      + (cut ? `; ${cut.toLocaleString("en")} of them go on in the model.` : ".");
    if (search.value.trim()) find();
  };

  const find = () => {
    for (const { button } of places.values()) button.classList.remove("found");
    const wanted = search.value.trim().toLowerCase();
    matches = [];
    current = -1;
    if (!wanted) { status.textContent = ""; return; }
    const fits = new Set(names.features.flatMap((name, place) => name.toLowerCase().includes(wanted) ? [place] : []));
    tree.w.forEach((weights, node) => {
      if (weights && weights.some(([feature]) => fits.has(feature))) matches.push(node);
    });
    for (const node of matches.slice(0, MOST_OPENED)) reveal(node);
    for (const node of matches) if (places.has(node)) places.get(node).button.classList.add("found");
    status.textContent = `${matches.length.toLocaleString("en")} splits of this tree use a feature like \u201c${search.value.trim()}\u201d.`;
  };
  const next = () => {
    if (!matches.length) return;
    current = (current + 1) % matches.length;
    reveal(matches[current]);
    const { button } = places.get(matches[current]);
    button.classList.add("found");
    button.focus();
    button.scrollIntoView({ block: "nearest" });
  };

  for (let index = 0; index < names.trees; index += 1) {
    const option = element("option", "", String(index));
    option.value = String(index);
    choice.append(option);
  }
  choice.addEventListener("change", () => draw(Number(choice.value)));
  search.addEventListener("input", find);
  search.addEventListener("keydown", event => { if (event.key === "Enter") next(); });
  byId("tree-next").addEventListener("click", next);
  byId("tree-expand").addEventListener("click", () => {
    // One level more, of all that is open.
    const closed = [...places].filter(([, { button }]) => button.getAttribute("aria-expanded") === "false");
    closed.slice(0, MOST_OPENED).forEach(([node]) => { if (places.get(node).item.offsetParent) toggle(node, true); });
  });
  byId("tree-collapse").addEventListener("click", () => {
    for (const [node, { button }] of places) if (button.getAttribute("aria-expanded") === "true") toggle(node, false);
    toggle(0, true);
  });
  byId("tree-controls").hidden = false;

  // The first tree is drawn when it comes near: a reader may never look at it.
  const start = new IntersectionObserver(entries => {
    if (entries.some(entry => entry.isIntersecting)) { start.disconnect(); draw(0); }
  }, { rootMargin: "600px" });
  start.observe(byId("tree-browser"));
})();
