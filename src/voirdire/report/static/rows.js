// The viewer of ratings: filters columns of integers and shows each item with every label it received.
// All text goes in as textContent, so whatever an item, rater or label says stays text.
(() => {
  "use strict";
  const SHOWN = 200, GLIMPSE = 10, LISTED = 12;
  const store = document.getElementById("ratings");
  const place = document.getElementById("rows");
  if (!store || !place) return;
  const data = JSON.parse(store.textContent);
  const at = (column, k) => (Array.isArray(column) ? column[k] : column);
  const value = (column, k) => { const code = at(column.codes, k); return code < 0 ? null : column.values[code]; };
  const size = Number(store.dataset.n);
  const make = (tag, text, attributes = {}) => {
    const element = document.createElement(tag);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const [name, content] of Object.entries(attributes)) element.setAttribute(name, content);
    return element;
  };
  const number = (n) => n.toLocaleString("en-US");

  // One group an item and metric; the ratings come sorted by metric and item.
  const groups = [];
  for (let k = 0; k < size; k++) {
    const item = at(data.item, k), metric = at(data.metric, k), last = groups[groups.length - 1];
    if (last && last.item === item && last.metric === metric) last.to = k + 1;
    else groups.push({ item, metric, from: k, to: k + 1 });
  }

  // What to show: metric and item names, raters, and name=value pairs of attributes.
  const unescape = (name) => name.replaceAll("%3D", "=").replaceAll("%25", "%");
  function wanted(hash) {
    const query = new URLSearchParams(hash.replace(/^#rows\??/, ""));
    const where = query.getAll("where").map((pair) => {
      const cut = pair.indexOf("=");
      return [unescape(pair.slice(0, cut)), pair.slice(cut + 1)];
    });
    return {
      metric: query.get("metric") || "", raters: new Set(query.getAll("rater")),
      items: new Set(query.getAll("item")), where, search: query.get("search") || "",
    };
  }
  function matches(group, want) {
    if (want.metric && data.metrics[group.metric].name !== want.metric) return false;
    const id = data.items[group.item];
    if (want.items.size && !want.items.has(id)) return false;
    if (want.search && !id.toLowerCase().includes(want.search.toLowerCase())) return false;
    for (const [name, sought] of want.where) if (!holds(group, name, sought)) return false;
    if (!want.raters.size) return true;
    for (let k = group.from; k < group.to; k++) if (want.raters.has(data.raters[at(data.rater, k)].id)) return true;
    return false;
  }
  function holds(group, name, sought) {
    const attribute = data.attributes.find((column) => column.name === name);
    if (attribute) return value(attribute, group.item) === sought;
    const column = data.more.find((other) => other.name === name);
    for (let k = group.from; k < group.to; k++) {
      const found = column ? value(column, k) : data.raters[at(data.rater, k)].attributes[name];
      if (found === sought) return true;
    }
    return false;
  }

  // One item: its name and attributes, people's labels, judges' labels, then what was said.
  function rating(k, want, repeated) {
    const rater = data.raters[at(data.rater, k)], status = data.statuses[at(data.status, k)];
    const line = make("li", null, want.raters.has(rater.id) ? { class: "hit" } : {});
    line.append(make("bdi", rater.id), ": ");
    const label = value(data.label, k);
    line.append(label === null ? make("i", status === "ok" ? "no label" : status) : make("b", label));
    const run = value(data.run, k);
    const notes = [];
    if (repeated && run !== null) notes.push(`run ${run}`);
    if (label !== null && status !== "ok") notes.push(status);
    for (const column of data.more) {
      const content = value(column, k);
      if (content !== null && content !== "") notes.push(`${column.name}: ${content}`);
    }
    const said = notes.join(" · ");
    if (said) line.append(make("small", said, said.length < 40 ? { class: "brief" } : {}));
    const source = data.sources[at(data.source, k)];
    line.title = source === undefined ? `row ${at(data.row, k)}` : `${source}, row ${at(data.row, k)}`;
    return line;
  }
  // Up to a dozen ratings are listed; more are counted by label, and listed when asked for.
  function labels(group, want, judge) {
    const cell = make("td"), mine = [];
    for (let k = group.from; k < group.to; k++)
      if ((data.raters[at(data.rater, k)].kind === "human") !== judge) mine.push(k);
    if (!mine.length) cell.append(make("i", "none"));
    else if (mine.length <= LISTED) cell.append(list(mine, want));
    else {
      const hits = mine.filter((k) => want.raters.has(data.raters[at(data.rater, k)].id));
      if (hits.length && hits.length <= LISTED) cell.append(list(hits, want));
      cell.append(tally(mine), folded(`${number(mine.length)} ratings`, () => [list(mine, want)]));
    }
    return cell;
  }
  function list(ratings, want) {
    const lines = make("ul", null, { class: "ratings" });
    const times = new Map();
    for (const k of ratings) times.set(at(data.rater, k), (times.get(at(data.rater, k)) || 0) + 1);
    for (const k of ratings) lines.append(rating(k, want, times.get(at(data.rater, k)) > 1));
    return lines;
  }
  function tally(ratings) {
    const counts = new Map();
    for (const k of ratings) {
      const code = at(data.label.codes, k);
      counts.set(code, (counts.get(code) || 0) + 1);
    }
    const line = make("p"), ordered = [...counts].sort((one, other) => one[0] - other[0]);
    ordered.forEach(([code, n], place) =>
      line.append(place ? " · " : "", make("b", code < 0 ? "no label" : data.label.values[code]), ` ${number(n)}`));
    return line;
  }
  function folded(title, fill) {
    const fold = make("details");
    fold.append(make("summary", title));
    fold.addEventListener("toggle", () => { if (fold.open && fold.children.length === 1) fold.append(...fill()); });
    return fold;
  }
  const columns = [false, true].filter((judge) => data.raters.some((rater) => (rater.kind !== "human") === judge));
  const telling = data.attributes.filter((column) => column.values.length > 1);
  function row(group, want) {
    const line = make("tr"), head = make("th", null, { scope: "row" });
    head.append(make("bdi", data.items[group.item]));
    const facts = telling.map((column) => [column.name, value(column, group.item)]).filter((fact) => fact[1] !== null);
    if (data.metrics.length > 1) facts.unshift(["metric", data.metrics[group.metric].title]);
    if (facts.length) head.append(make("small", facts.map((fact) => fact.join(": ")).join(" · ")));
    const said = data.texts.filter((column) => value(column, group.item));
    if (said.length) {
      const names = said.map((column) => column.name).join(", ");
      head.append(folded(names, () =>
        said.map((column) => make("p", value(column, group.item), { class: "said", dir: "auto" }))));
    } else if (store.dataset.texts) {
      const block = Math.floor(data.numbers[group.item] / Number(store.dataset.block));
      head.append(make("a", "text", { href: `texts-${String(block).padStart(4, "0")}.html#i${data.numbers[group.item]}` }));
    }
    line.append(head);
    for (const judge of columns) line.append(labels(group, want, judge));
    return line;
  }

  // The controls are made here, for without scripts they would do nothing.
  const controls = make("div", null, { class: "controls", role: "search", "aria-label": "Choose ratings" });
  function select(title, options) {
    const field = make("label", title), choice = make("select");
    choice.append(make("option", "all", { value: "" }));
    for (const [content, shown] of options) choice.append(make("option", shown, { value: content }));
    field.append(choice);
    controls.append(field);
    return choice;
  }
  const metric = data.metrics.length > 1 ? select("Metric", data.metrics.map((m) => [m.name, m.title])) : null;
  const rater = select("Rater", data.raters.map((r) => [r.id, r.id]));
  const few = data.attributes.filter((column) => column.values.length > 1 && column.values.length <= 50);
  const escape = (name) => name.replaceAll("%", "%25").replaceAll("=", "%3D");
  const slice = few.length
    ? select("Slice", few.flatMap((column) => column.values.map((v) => [`${escape(column.name)}=${v}`, `${column.name}: ${v}`])))
    : null;
  const field = make("label", "Item name contains"), search = make("input", null, { type: "search" });
  field.append(search);
  const clear = make("button", "Show all", { type: "button" });
  controls.append(field, clear);
  const status = make("p", null, { class: "note", "aria-live": "polite" });
  const scroll = make("div", null, { class: "scroll", tabindex: "0", role: "region", "aria-label": "Ratings, may scroll sideways" });
  const table = make("table", null, { class: "rows" }), body = make("tbody"), head = make("tr");
  const titles = columns.map((judge) => (judge ? "Judges and programs" : "People"));
  for (const title of ["Item", ...titles]) head.append(make("th", title, { scope: "col" }));
  table.append(make("thead"), body);
  table.tHead.append(head);
  scroll.append(table);
  const more = make("button", null, { type: "button" });
  place.querySelector(".viewer").replaceChildren(controls, status, scroll, more);

  let found = [], want = wanted(""), drawn = 0;
  function draw(most = SHOWN) {
    for (const group of found.slice(drawn, drawn + most)) body.append(row(group, want));
    drawn = Math.min(found.length, drawn + most);
    more.hidden = drawn === found.length;
    more.textContent = `Show ${number(Math.min(SHOWN, found.length - drawn))} more`;
  }
  function describe() {
    const parts = [];
    if (want.raters.size > 1) parts.push(`rated by ${[...want.raters].join(", ")}`);
    if (want.where.length > (slice ? 1 : 0)) parts.push(want.where.map((pair) => pair.join(": ")).join(", "));
    if (want.items.size) parts.push(`${number(want.items.size)} chosen items`);
    return parts.length ? ` (${parts.join("; ")})` : "";
  }
  function show(most = SHOWN) {
    found = groups.filter((group) => matches(group, want));
    const ratings = found.reduce((sum, group) => sum + group.to - group.from, 0);
    status.textContent = found.length
      ? `${number(ratings)} of ${number(size)} ratings${describe()}.`
      : `No rating fits this choice${describe()}.`;
    if (metric) metric.value = want.metric;
    rater.value = want.raters.size === 1 ? [...want.raters][0] : "";
    if (slice) slice.value = want.where.length === 1 ? `${escape(want.where[0][0])}=${want.where[0][1]}` : "";
    search.value = want.search;
    body.replaceChildren();
    drawn = 0;
    draw(most);
  }
  function choose() {
    const query = new URLSearchParams();
    if (metric && metric.value) query.append("metric", metric.value);
    if (rater.value) query.append("rater", rater.value);
    if (slice && slice.value) query.append("where", slice.value);
    if (search.value) query.append("search", search.value);
    history.replaceState(null, "", `#rows?${query}`);
    want = wanted(location.hash);
    show();
  }
  function follow() {
    if (!location.hash.startsWith("#rows")) return;
    want = wanted(location.hash);
    show();
    place.querySelector("h1, h2").focus({ preventScroll: true });
    place.scrollIntoView();
    for (const link of document.querySelectorAll("a.part")) link.hash = location.hash;
  }
  for (const control of [metric, rater, slice]) if (control) control.addEventListener("change", choose);
  search.addEventListener("input", choose);
  clear.addEventListener("click", () => { history.replaceState(null, "", "#rows"); want = wanted(""); show(); });
  more.addEventListener("click", () => {
    const next = body.children.length;
    draw();
    const row = body.children[next];
    if (row) { row.tabIndex = -1; row.focus(); }
  });
  window.addEventListener("hashchange", follow);
  show(place.classList.contains("glimpse") ? GLIMPSE : SHOWN);
  follow();
})();
