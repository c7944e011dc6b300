// What is known about a word, as tables and lists.

import { decimals, element, find, headRow, thousands, wordLink } from "/elements.js";

/** What a word is, and its translations: before and at a place of the path, or by CSLS and ranked. */
export function showTranslations(answer, names, hasOneEnd) {
  const { side, word } = answer;
  const other = side === "source" ? "target" : "source";
  const elsewhere = answer.in_both
    ? [" It is also a word of ", names[other], ": ", inOther(word, other), "."]
    : [];
  const sentence = element(
    "span",
    {},
    element("strong", { dir: "auto", translate: "no" }, word),
    ` is the ${ordinal(answer.rank)} word of ${names[side]}.`,
    ...elsewhere,
  );
  const status = find("status");
  status.classList.remove("problem");
  // What stays the same is not read out again.
  if (status.textContent !== sentence.textContent) status.replaceChildren(sentence);
  const before = answer.before.translations;
  const after = answer.after.translations;
  const ranks = new Map(before.map((entry, place) => [entry.word, place]));
  fill("before", before, other, null);
  fill("after", after, other, ranks);
  const ranked = hasProbabilities(after);
  document.body.classList.toggle("one-list", hasOneEnd && !ranked);
  if (ranked) {
    find("before").caption.textContent = hasCsls(before) ? "By CSLS" : "By cosine";
    find("after").caption.textContent = answer.scoring === "learned" ? "Learned ranking" : "With probabilities";
  } else {
    find("before").caption.textContent = "Before";
    find("after").caption.textContent = answer.after.t === 1 ? "After" : `At t = ${decimals(answer.after.t, 2)}`;
  }
}

const hasCsls = (entries) => entries.some((entry) => entry.csls !== null);
const hasProbabilities = (entries) => entries.some((entry) => entry.probability !== undefined);

function inOther(word, other) {
  const link = wordLink(word, other);
  link.textContent = "look there";
  return link;
}

function ordinal(rank) {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[rank % 10];
  const teen = rank % 100 >= 11 && rank % 100 <= 13;
  return `${thousands(rank)}${teen || !ending ? "th" : ending}`;
}

function fill(id, entries, side, ranks) {
  const table = find(id);
  const ranked = hasProbabilities(entries);
  const scored = hasCsls(entries);
  const heads = [
    ...(ranked ? [["P", "probability that the translation is right"]] : []),
    ...(scored ? [["CSLS", "cross-domain similarity local scaling"]] : []),
  ];
  table.tHead.replaceChildren(headRow("word", ...heads, ["cos", "cosine"]));
  table.tBodies[0].replaceChildren(
    ...entries.map((entry, place) =>
      element(
        "tr",
        {},
        element("th", { scope: "row" }, wordLink(entry.word, side),
          ranks ? change(place, ranks.get(entry.word)) : null),
        ranked ? element("td", { class: "number" }, decimals(entry.probability, 2)) : null,
        scored ? element("td", { class: ranked ? "number quiet" : "number" }, decimals(entry.csls)) : null,
        element("td", { class: "number quiet" }, decimals(entry.cosine)),
      ),
    ),
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

/** The nearest words of both languages. */
export function showNeighbours(answer) {
  for (const side of ["source", "target"]) {
    find(`nearest-${side}`).replaceChildren(
      ...answer[side].map((entry) => {
        const bar = element("span", { class: "bar", "aria-hidden": "true" });
        bar.style.width = `${100 * Math.max(0, Math.min(1, entry.cosine))}%`;
        return element("li", {}, wordLink(entry.word, side),
          element("span", { class: "number" }, decimals(entry.cosine)), bar);
      }),
    );
  }
}
