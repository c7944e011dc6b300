// The dictionary check: pasted pairs in, ranks and figures out.

import { send } from "/api.js";
import { decimals, element, find, headRow, thousands, wordLink } from "/elements.js";

const MISSING = { word: "word unknown", reference: "translation unknown" };

function rank(value, other) {
  if (value === null) return element("td", { class: "number" }, "–");
  const change = other === null || value === other ? "" : value < other ? "better" : "worse";
  const mark = { "": "", better: " ▲", worse: " ▼" }[change];
  return element(
    "td",
    { class: `number ${value === 1 ? "first" : ""}` },
    thousands(value),
    change
      ? element("span", { class: change }, element("span", { "aria-hidden": "true" }, mark),
          element("span", { class: "hidden" }, `, ${change}`))
      : null,
  );
}

function row(pair, side, other) {
  const unknown = pair.missing.length > 0;
  const note = unknown
    ? element("td", { class: "quiet" }, pair.missing.map((part) => MISSING[part]).join(", "))
    : element("td", {}, pair.rank_after === 1 ? "" : wordLink(pair.first_after, other));
  return element(
    "tr",
    { class: unknown ? "unknown" : null },
    element("th", { scope: "row" }, unknown ? pair.word : wordLink(pair.word, side)),
    element("td", { dir: "auto", translate: "no" }, pair.reference),
    rank(pair.rank_before, null),
    rank(pair.rank_after, pair.rank_before),
    note,
  );
}

function figure(name, long, before, after) {
  const equal = before === after;
  return element(
    "div",
    {},
    element("dt", {}, element("abbr", { title: long }, name)),
    element(
      "dd",
      {},
      equal ? null : element("span", { class: "hidden" }, "before "),
      equal ? null : element("span", { class: "quiet" }, `${before} `),
      equal ? null : element("span", { "aria-hidden": "true", class: "quiet" }, "→ "),
      equal ? null : element("span", { class: "hidden" }, "after "),
      element("strong", {}, after),
    ),
  );
}

function show(result, hasAfter) {
  const other = result.side === "source" ? "target" : "source";
  const { before, after } = result;
  const learned = result.scoring === "learned";
  const percent = (value) => `${decimals(100 * value, 1)} %`;
  find("check-figures").replaceChildren(
    ...(before === null
      ? []
      : [
          figure("P@1", "share of words whose first translation is right",
            percent(before.precision_at_1), percent(after.precision_at_1)),
          figure("P@5", "share of words with a right translation among the first five",
            percent(before.precision_at_5), percent(after.precision_at_5)),
          figure("MRR", "mean reciprocal rank",
            decimals(before.mean_reciprocal_rank), decimals(after.mean_reciprocal_rank)),
        ]),
  );
  const table = find("check-table");
  table.tHead.replaceChildren(
    headRow("word", "translation",
      ...(learned
        ? [["CSLS", "rank by CSLS"], ["learned", "rank by the learned ranking"]]
        : [["before", "rank before refinement"], ["after", "rank after refinement"]]),
      "comes first instead"),
  );
  table.tBodies[0].replaceChildren(...result.pairs.map((pair) => row(pair, result.side, other)));
  table.classList.toggle("without-after", !hasAfter && !learned);
  find("check-results").hidden = result.pairs.length === 0;
  const skipped = result.skipped.map((line) => `line ${line.line}: ${line.problem}`).join("; ");
  const scored = {
    learned: "CSLS and by the learned ranking",
    csls: "CSLS",
    cosine: "the cosine, as CSLS is not ready yet",
  }[result.scoring];
  return `${thousands(result.known)} of ${thousands(result.pairs.length)} pairs known, ranked by ${scored}.`
    + (skipped ? ` Left out: ${skipped}.` : "");
}

/** Wire the form up; hasAfter() says whether there is a refinement to compare with. */
export function setUpCheck(hasAfter) {
  const form = find("check");
  const status = find("check-status");
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const side = new FormData(form).get("check-side");
    const button = form.querySelector("button");
    status.classList.remove("problem");
    status.textContent = "Checking …";
    // Not "disabled": that would take the focus away from whoever pressed it.
    if (button.ariaBusy === "true") return;
    button.ariaBusy = "true";
    try {
      status.textContent = show(await send("check", { text: find("pairs").value, side }), hasAfter());
    } catch (error) {
      status.classList.add("problem");
      status.textContent = error.message;
      find("check-results").hidden = true;
    } finally {
      button.ariaBusy = "false";
    }
  });
}
