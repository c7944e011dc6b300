// The answer about a word: the best translation in large letters, then all of them in a table.

import { decimals, element, find, headRow, ordinal, percent, wordLink, wordText } from "/elements.js";

const other = (side) => (side === "source" ? "target" : "source");
const hasProbabilities = (entries) => entries.some((entry) => entry.probability !== undefined);

/** The sentence about a word that screen readers hear; what stays the same is not read again. */
export function sayWord(answer, names) {
  const { side, word, rank } = answer;
  const elsewhere = answer.in_both
    ? [" It is also a word of ", names[other(side)], ": ", link("look it up", word, other(side)), "."]
    : [];
  const sentence = element(
    "span",
    {},
    wordText(word, side, { class: "asked-word" }),
    ` is the ${ordinal(rank)} most frequent word of ${names[side]}.`,
    ...elsewhere,
  );
  const status = find("status");
  status.classList.remove("problem");
  if (status.textContent !== sentence.textContent) status.replaceChildren(sentence);
}

function link(text, word, side) {
  const found = wordLink(word, side);
  found.textContent = text;
  found.removeAttribute("lang");
  return found;
}

/** The card of one run; about says what the run is, title names it if there are several. */
export function answerCard(answer, about, names, title) {
  const side = other(answer.side);
  const before = answer.before.translations;
  const after = answer.after.translations;
  const ranked = hasProbabilities(after);
  const hasPath = about.path.stops.length > 1;
  const tables = ranked
    ? [ranking(after, side), byCsls(before, side)]
    : hasPath
      ? [element("div", { class: "pair" }, list("Before", before, side, null),
          list(answer.after.t === 1 ? "After" : `At t = ${decimals(answer.after.t, 2)}`, after, side, before))]
      : [list("Candidates", before, side, null)];
  return element(
    "section",
    { class: "card answer", "aria-label": title ?? "Translations" },
    element("h2", { class: title ? "run-name" : "hidden" }, title ?? "Translations"),
    best(after, side, names),
    ...tables,
    element("p", { class: "note scoring" }, scoringNote(about, answer.scoring, ranked)),
  );
}

function best(entries, side, names) {
  if (entries.length === 0) return element("p", { class: "quiet" }, "No translation was found.");
  const [first] = entries;
  const word = wordLink(first.word, side);
  word.classList.add("best-word");
  return element(
    "div",
    { class: "best" },
    element("p", { class: `best-line ${side}` }, word, element("span", { class: `chip ${side}` }, names[side])),
    first.probability === undefined || first.probability === null
      ? null
      : element("p", { class: `sure ${sureness(first.probability)}` },
          element("strong", {}, percent(first.probability)), " likely to be right"),
    first.reasons?.length ? element("p", { class: "why" }, ...chips(first.reasons)) : null,
  );
}

const sureness = (probability) => (probability >= 0.75 ? "high" : probability >= 0.25 ? "middle" : "low");

const chips = (reasons) => reasons.map((reason) => element("span", { class: "reason" }, reason));

function ranking(entries, side) {
  return element(
    "table",
    { class: "ranking after" },
    element("caption", { class: "hidden" }, "Translations, the most likely first"),
    element("thead", {}, headRow("translation", "likely right", "why", ["cos", "cosine"])),
    element("tbody", {}, ...entries.map((entry) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, wordLink(entry.word, side)),
        element("td", { class: "chance" }, ...chance(entry.probability)),
        element("td", { class: "why" }, ...chips(entry.reasons ?? [])),
        element("td", { class: "number quiet" }, decimals(entry.cosine, 2)),
      ))),
  );
}

/** A probability as a number and a bar. */
export function chance(probability) {
  if (probability === null || probability === undefined) return [element("span", { class: "quiet" }, "–")];
  const bar = element("span", { class: "meter", "aria-hidden": "true" }, element("span", {}));
  bar.firstChild.style.width = `${100 * probability}%`;
  return [element("span", { class: "number" }, percent(probability)), bar];
}

function byCsls(entries, side) {
  const scored = entries.some((entry) => entry.csls !== null);
  return element(
    "details",
    { class: "by-csls" },
    element("summary", {}, scored ? "The order by CSLS" : "The order by cosine"),
    list(scored ? "By CSLS" : "By cosine", entries, side, null),
  );
}

function list(caption, entries, side, before) {
  const scored = entries.some((entry) => entry.csls !== null);
  const ranks = before === null ? null : new Map(before.map((entry, place) => [entry.word, place]));
  return element(
    "table",
    { class: `list ${ranks === null ? "before" : "after"}` },
    element("caption", {}, caption),
    element("thead", {}, headRow("word",
      ...(scored ? [["CSLS", "cross-domain similarity local scaling"]] : []), ["cos", "cosine"])),
    element("tbody", {}, ...entries.map((entry, place) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, wordLink(entry.word, side),
          ranks ? change(place, ranks.get(entry.word)) : null),
        scored ? element("td", { class: "number" }, decimals(entry.csls)) : null,
        element("td", { class: "number quiet" }, decimals(entry.cosine)),
      ))),
  );
}

function change(place, before) {
  const mark = (kind, text, long) =>
    element("span", { class: `change ${kind}` }, element("span", { "aria-hidden": "true" }, ` ${text}`),
      element("span", { class: "hidden" }, `, ${long}`));
  if (before === undefined) return mark("new", "new", "new among the first ten");
  const gain = before - place;
  if (gain > 0) return mark("better", `▲${gain}`, `${gain} up`);
  if (gain < 0) return mark("worse", `▼${-gain}`, `${-gain} down`);
  return null;
}

/** What orders the translations (hasChances: with probabilities), and what is still being computed. */
export function scoringNote(about, scoring, hasChances) {
  const { state, stage, share, message } = about.preparation;
  const part = share === null ? "" : ` (${Math.floor(100 * share)} %)`;
  const loading = about.ranking === "loading" ? " The learned ranking is being loaded." : "";
  if (scoring === "learned") {
    return "The learned ranking weighs vectors, frequency, spelling and endings. Its probabilities are calibrated on held-out seeds.";
  }
  if (scoring === "csls" && hasChances) return "CSLS orders the translations, because no ranking was learned.";
  if (scoring === "csls") {
    const why = { failed: ` ${message ?? ""}`, ready: " The learned ranking does not cover this word." };
    return `Ordered by CSLS, which discounts words that are near to everything.${why[about.ranking] ?? loading}`;
  }
  if (state === "running") {
    const what = stage === "CSLS" ? `CSLS is being prepared${part}` : "CSLS comes next";
    return `Ordered by cosine for now: ${what}.${loading}`;
  }
  return `Ordered by cosine. ${message ?? ""}`;
}

/** The nearest words of both languages. */
export function showNeighbours(answer) {
  for (const side of ["source", "target"]) {
    find(`nearest-${side}`).replaceChildren(
      ...answer[side].map((entry) => {
        const bar = element("span", { class: "bar", "aria-hidden": "true" });
        bar.style.setProperty("--share", Math.max(0, Math.min(1, entry.cosine)));
        return element("li", {}, wordLink(entry.word, side),
          element("span", { class: "number" }, decimals(entry.cosine, 2)), bar);
      }),
    );
  }
}
