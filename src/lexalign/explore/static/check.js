// The dictionary check: pairs in, ranks and figures out; the address holds the number of the check.

import { ask, Refused, send } from "/api.js";
import { decimals, element, find, percent, thousands, wordLink, wordText } from "/elements.js";
import { abouts, lost, watch } from "/shell.js";

const ENTRIES = 50;
const POLL = 700;
const INSTEAD = "comes first instead";
const MISSING = { word: "word unknown", reference: "translation unknown" };
const status = find("check-status");
let current = null;
let timer = null;

// The address ---------------------------------------------------------------------------------

function wanted() {
  const query = new URLSearchParams(location.search);
  return {
    id: query.get("id"),
    sort: query.get("sort") ?? "line",
    order: query.get("order") ?? "ascending",
    offset: Math.max(0, Number.parseInt(query.get("offset") ?? "0", 10) || 0),
  };
}

function go(changes) {
  const given = Object.entries({ ...wanted(), ...changes }).filter(([, value]) => value);
  history.pushState(null, "", `/check?${new URLSearchParams(given)}`);
  return load();
}

// The result ----------------------------------------------------------------------------------

/** A rank, and whether it is better or worse than the one before, for which room is kept. */
function rank(label, value, before) {
  const change = value === null || before === null || value === before ? "" : value < before ? "better" : "worse";
  const mark = { "": "", better: " ▲", worse: " ▼" }[change];
  return element(
    "td",
    { class: `number ${value === 1 ? "first" : ""}`, "data-label": label },
    value === null ? "–" : thousands(value),
    element("span", { class: `move ${change}` }, element("span", { "aria-hidden": "true" }, mark),
      change ? element("span", { class: "hidden" }, `, ${change}`) : null),
  );
}

function row(pair, side, other, labels) {
  const unknown = pair.missing.length > 0;
  const note = unknown
    ? element("td", { class: "quiet" }, pair.missing.map((part) => MISSING[part]).join(", "))
    : pair.rank_after === 1
      ? element("td")
      : element("td", { "data-label": INSTEAD }, wordLink(pair.first_after, other));
  return element(
    "tr",
    { class: unknown ? "unknown" : null },
    element("th", { scope: "row" }, unknown ? wordText(pair.word, side) : wordLink(pair.word, side)),
    element("td", {}, wordText(pair.reference, other)),
    labels.before ? rank(labels.before, pair.rank_before, null) : null,
    rank(labels.after, pair.rank_after, labels.before ? pair.rank_before : null),
    note,
  );
}

function figure(name, long, before, after, [first, last]) {
  const equal = before === after;
  return element(
    "div",
    {},
    element("dt", {}, element("abbr", { title: long }, name),
      equal ? null : element("span", { "aria-hidden": "true" }, `, ${first} → ${last}`)),
    element(
      "dd",
      {},
      equal ? null : element("span", { class: "hidden" }, `${first} `),
      equal ? null : element("span", { class: "quiet" }, `${before} `),
      equal ? null : element("span", { "aria-hidden": "true", class: "quiet" }, "→ "),
      equal ? null : element("span", { class: "hidden" }, `${last} `),
      element("strong", {}, after),
    ),
  );
}

function figures({ before, after }, named) {
  if (before === null) return [];
  const share = (value) => percent(value, 1);
  return [
    figure("P@1", "share of words whose first translation is right",
      share(before.precision_at_1), share(after.precision_at_1), named),
    figure("P@5", "share of words with a right translation among the first five",
      share(before.precision_at_5), share(after.precision_at_5), named),
    figure("MRR", "mean reciprocal rank",
      decimals(before.mean_reciprocal_rank), decimals(after.mean_reciprocal_rank), named),
  ];
}

/** A head that sorts the table, and says how it is sorted. */
function head(text, sort) {
  if (sort === null) return element("th", { scope: "col" }, text);
  const asked = wanted();
  const isMine = asked.sort === sort;
  const button = element("button", { type: "button", class: "sort" }, text,
    element("span", { "aria-hidden": "true" }, isMine ? (asked.order === "ascending" ? " ↑" : " ↓") : ""));
  button.addEventListener("click", () =>
    go({ sort, order: isMine && asked.order === "ascending" ? "descending" : "ascending", offset: 0 }));
  const isNumber = sort === "before" || sort === "after";
  return element(
    "th",
    { scope: "col", class: isNumber ? "number" : null, "aria-sort": isMine ? asked.order : null },
    button,
  );
}

function show() {
  const { side, pairs, offset, total, scoring } = current;
  const other = side === "source" ? "target" : "source";
  const learned = scoring === "learned";
  const compares = abouts[0].path.stops.length > 1;
  const labels = learned
    ? { before: "rank, CSLS", after: "rank, learned" }
    : compares ? { before: "rank before", after: "rank after" } : { before: null, after: "rank" };
  find("check-figures").replaceChildren(...figures(current, learned ? ["CSLS", "learned ranking"] : ["before", "after"]));
  const table = find("check-table");
  table.tHead.replaceChildren(
    element("tr", {}, head("word", "word"), head("translation", "translation"),
      ...(labels.before ? [head(labels.before, "before")] : []),
      head(labels.after, "after"), head(INSTEAD, null)),
  );
  table.tBodies[0].replaceChildren(...pairs.map((pair) => row(pair, side, other, labels)));
  find("check-results").hidden = pairs.length === 0;
  find("place").textContent = pairs.length
    ? `${thousands(offset + 1)} to ${thousands(offset + pairs.length)} of ${thousands(total)}`
    : "";
  find("previous").disabled = offset === 0;
  find("next").disabled = offset + pairs.length >= total;
}

function sentence() {
  const { state, share, message, known, total, scoring, skipped, skipped_lines: lines } = current;
  if (state === "running") return `Checking … ${percent(share)} done.`;
  if (state === "failed") return message;
  const scored = {
    learned: "CSLS and by the learned ranking",
    csls: "CSLS",
    cosine: "the cosine, as CSLS is not ready yet",
  }[scoring];
  const problems = skipped.slice(0, 5).map((line) => `line ${line.line}: ${line.problem}`).join("; ");
  const more = lines > 5 ? `; and ${thousands(lines - 5)} more` : "";
  return `${thousands(known)} of ${thousands(total)} pairs known, ranked by ${scored}.`
    + (lines ? ` Left out: ${problems}${more}.` : "");
}

// Asking --------------------------------------------------------------------------------------

function problem(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.status === 0) return lost();
  status.classList.add("problem");
  status.textContent = error.message;
  find("check-results").hidden = true;
  return undefined;
}

async function load() {
  clearTimeout(timer);
  const { id, sort, order, offset } = wanted();
  if (id === null) return undefined;
  try {
    current = await ask("check", { id, sort, order, offset, k: ENTRIES });
  } catch (error) {
    return problem(error);
  }
  status.classList.toggle("problem", current.state === "failed");
  status.textContent = sentence();
  show();
  if (current.state === "running") timer = setTimeout(load, POLL);
  return undefined;
}

find("check").addEventListener("submit", async (event) => {
  event.preventDefault();
  const side = new FormData(event.target).get("check-side");
  const button = event.target.querySelector("button[type=submit]");
  // Not "disabled": that would take the focus away from whoever pressed it.
  if (button.ariaBusy === "true") return;
  button.ariaBusy = "true";
  status.classList.remove("problem");
  status.textContent = "Checking …";
  try {
    const [file] = find("file").files;
    const text = file ? await file.text() : find("pairs").value;
    const { id } = await send("check", { text, side });
    await go({ id, offset: 0 });
  } catch (error) {
    problem(error);
  } finally {
    button.ariaBusy = "false";
  }
});
find("file").addEventListener("change", (event) => {
  find("pairs").disabled = event.target.files.length > 0;
});
find("save").addEventListener("click", () => {
  location.href = `/api/check/table?${new URLSearchParams({ id: current.id })}`;
});
find("previous").addEventListener("click", () => go({ offset: Math.max(0, current.offset - ENTRIES) }));
find("next").addEventListener("click", () => go({ offset: current.offset + ENTRIES }));
window.addEventListener("popstate", load);

watch(({ changed, wasLost }) => {
  if (changed || wasLost) load();
});
