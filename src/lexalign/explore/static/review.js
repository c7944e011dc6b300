// The dictionary as a table to review: every decision is kept by the server at once.

import { ask, Refused, send } from "/api.js";
import { Combobox, completionsOf } from "/combobox.js";
import { element, find, languageOf, percent, thousands, wordLink, wordText } from "/elements.js";
import { chance } from "/results.js";
import { abouts, lost, nameOf, watch } from "/shell.js";

const ENTRIES = 50;
const STATES = { accepted: "accepted", rejected: "rejected", corrected: "corrected", open: "not reviewed" };
const TYPING = 200;

let shown = { entries: [], total: 0, offset: 0 };
let active = 0;
let filtering = null;
const undone = [];
const body = find("review").tBodies[0];
const form = find("filters");

// The address holds what is shown, so that a reload and the back button keep it ----------------

function wanted() {
  const query = new URLSearchParams(location.search);
  const share = (name, standard) => {
    const value = Number.parseFloat(query.get(name) ?? standard);
    return Number.isFinite(value) ? Math.min(100, Math.max(0, value)) : Number(standard);
  };
  return {
    text: query.get("text") ?? "",
    state: query.get("state") ?? "all",
    low: share("low", "0"),
    high: share("high", "100"),
    sort: query.get("sort") ?? "frequency ascending",
    offset: Math.max(0, Number.parseInt(query.get("offset") ?? "0", 10) || 0),
  };
}

function go(changes, { replace = false } = {}) {
  const next = { ...wanted(), offset: 0, ...changes };
  const standard = { text: "", state: "all", low: 0, high: 100, sort: "frequency ascending", offset: 0 };
  const given = Object.entries(next).filter(([name, value]) => value !== standard[name]);
  const query = new URLSearchParams(given).toString();
  const address = `/review${query ? `?${query}` : ""}`;
  if (replace) history.replaceState(null, "", address);
  else history.pushState(null, "", address);
  return load();
}

function fillForm() {
  const asked = wanted();
  for (const name of ["text", "state", "low", "high", "sort"]) {
    if (document.activeElement !== form.elements[name]) form.elements[name].value = asked[name];
  }
}

// The table ----------------------------------------------------------------------------------

async function load({ keep = false } = {}) {
  fillForm();
  const { text, state, low, high, sort, offset } = wanted();
  const [by, order] = sort.split(" ");
  find("results").setAttribute("aria-busy", "true");
  try {
    shown = await ask("dictionary", {
      text: text || null, state, low: low / 100, high: high / 100, sort: by, order, offset, k: ENTRIES,
    });
  } catch (error) {
    return problem(error);
  } finally {
    find("results").setAttribute("aria-busy", "false");
  }
  active = keep ? Math.min(active, Math.max(0, shown.entries.length - 1)) : 0;
  showTable();
  return undefined;
}

function showTable() {
  const hadFocus = body.contains(document.activeElement);
  body.replaceChildren(...shown.entries.map(row));
  find("review").hidden = shown.entries.length === 0;
  find("nothing").hidden = shown.entries.length > 0;
  find("nothing-text").textContent = wanted().state === "changed" && !shown.compared
    ? "The translations by CSLS are still being computed."
    : "No word fits.";
  const { offset, total, entries } = shown;
  find("place").textContent = total
    ? `${thousands(offset + 1)} to ${thousands(offset + entries.length)} of ${thousands(total)}`
    : "";
  find("previous").disabled = offset === 0;
  find("next").disabled = offset + entries.length >= total;
  showProgress(shown.progress);
  if (hadFocus) focusRow(active);
}

function showProgress(progress) {
  const total = Object.values(progress).reduce((sum, count) => sum + count, 0);
  const done = total - progress.open;
  find("progress").replaceChildren(
    ...["accepted", "corrected", "rejected"].map((state) => {
      const part = element("span", { class: state });
      part.style.width = `${(100 * progress[state]) / Math.max(total, 1)}%`;
      return part;
    }),
  );
  const parts = ["accepted", "corrected", "rejected"].map((state) => `${thousands(progress[state])} ${state}`);
  const sentence = `${thousands(done)} of ${thousands(total)} words reviewed: ${parts.join(", ")}.`;
  find("progress").setAttribute("aria-label", sentence);
  find("progress-key").textContent = sentence;
}

function row(entry, place) {
  const [first, ...others] = entry.translations;
  const right = entry.translations.find(({ verdict }) => verdict === "right");
  const head = right ?? first;
  return element(
    "tr",
    { class: entry.state, tabindex: place === active ? "0" : "-1", "data-place": place,
      "aria-label": `${entry.word}, ${head.word}, ${STATES[entry.state]}` },
    element("th", { scope: "row" }, wordLink(entry.word, "source"),
      element("span", { class: "rank quiet", title: "frequency rank" }, ` #${thousands(entry.rank)}`)),
    element("td", { class: "first-translation" },
      wordText(head.word, "target", { class: first.verdict === "wrong" && !right ? "struck" : null }),
      entry.csls && entry.csls !== first.word
        ? element("span", { class: "by-csls quiet" }, "CSLS: ", wordText(entry.csls, "target"))
        : null),
    element("td", { class: "chance" }, ...chance(head.probability)),
    element("td", { class: "others" }, ...others.map((translation, number) => alternative(entry, translation, number + 2))),
    element("td", { class: "decide" }, ...buttons(entry)),
  );
}

function alternative(entry, { word, probability, verdict }, number) {
  const name = probability === null ? word : `${word} ${percent(probability)}`;
  return element(
    "button",
    { type: "button", class: `other ${verdict ?? ""}`, "data-take": word, lang: languageOf("target"),
      dir: "auto", translate: "no", "aria-label": `Accept ${name} for ${entry.word}`,
      title: number <= 5 ? `Accept (${number})` : "Accept", "data-key": number <= 5 ? number : null },
    name,
  );
}

function buttons(entry) {
  const button = (action, sign, label, pressed) =>
    element("button", { type: "button", class: `act ${action}`, "data-act": action, "aria-pressed": String(pressed),
      "aria-label": `${label} ${entry.word}`, title: label }, sign);
  return [
    button("accept", "✓", "Accept", entry.state === "accepted"),
    button("reject", "✗", "Reject", entry.state === "rejected"),
    button("correct", "✎", "Correct", entry.state === "corrected"),
  ];
}

function focusRow(place) {
  const rows = [...body.rows];
  if (rows.length === 0) return;
  active = Math.min(Math.max(place, 0), rows.length - 1);
  rows.forEach((one, number) => one.setAttribute("tabindex", number === active ? "0" : "-1"));
  rows[active].focus({ preventScroll: true });
  rows[active].scrollIntoView({ block: "nearest" });
}

// Decisions ----------------------------------------------------------------------------------

const verdictOf = (entry, word) => entry.translations.find((one) => one.word === word)?.verdict ?? null;

function change(entry, target, verdict) {
  return { source: entry.word, target, verdict, seen: verdictOf(entry, target) };
}

/** Accept a translation: it is right, and the first one is wrong if that is another one. */
function acceptance(entry, word) {
  const first = entry.translations[0].word;
  const changes = [change(entry, word, "right")];
  if (word !== first && verdictOf(entry, first) !== "right") changes.push(change(entry, first, "wrong"));
  return changes;
}

async function decide(place, changes, { isUndo = false } = {}) {
  const news = changes.filter(({ verdict, seen }) => verdict !== seen);
  if (news.length === 0) return focusRow(place + 1);
  try {
    const answer = await send("review", { changes: news });
    if (!isUndo) {
      undone.push(news.map(({ source, target, verdict, seen }) =>
        ({ source, target, verdict: seen, seen: verdict })));
    }
    find("undo").disabled = undone.length === 0;
    const known = new Map(answer.entries.map((entry) => [entry.word, entry]));
    shown = { ...shown, progress: answer.progress,
      entries: shown.entries.map((entry) => known.get(entry.word) ?? entry) };
    showTable();
    const [{ source }] = news;
    const entry = known.get(source);
    say(`${source}: ${STATES[entry?.state ?? "open"]}.`);
    focusRow(isUndo ? shown.entries.findIndex(({ word }) => word === source) : place + 1);
  } catch (error) {
    problem(error);
    if (isUndo && error.status === 0) undone.push(changes); // nobody answered: it can be tried again
    if (error.status === 409) load({ keep: true });
  }
  return undefined;
}

async function undo() {
  const changes = undone.pop();
  if (changes) await decide(active, changes, { isUndo: true });
  find("undo").disabled = undone.length === 0;
}

function act(place, action) {
  const entry = shown.entries[place];
  const first = entry.translations[0].word;
  if (action === "accept") return decide(place, acceptance(entry, first));
  if (action === "reject") {
    const right = entry.translations.filter(({ verdict }) => verdict === "right");
    return decide(place, [change(entry, first, "wrong"),
      ...right.filter(({ word }) => word !== first).map(({ word }) => change(entry, word, null))]);
  }
  return correct(place);
}

/** Ask for the right translation in the row itself. */
function correct(place) {
  const entry = shown.entries[place];
  const cell = body.rows[place].querySelector(".first-translation");
  const input = element("input", { type: "search", id: "correction", maxlength: "200", dir: "auto", autocomplete: "off",
    autocapitalize: "none", spellcheck: "false", "aria-label": `Right translation of ${entry.word}` });
  const list = element("ul", { class: "options", id: "corrections", "aria-label": "Completions", hidden: true });
  const stop = () => {
    showTable();
    focusRow(place);
  };
  const take = (word) => (word ? decide(place, acceptance(entry, word)) : stop());
  cell.replaceChildren(element("div", { class: "combobox" }, input, list));
  new Combobox(input, list, {
    complete: (prefix) => completionsOf(prefix, "target"), nameOf, choose: (word) => take(word),
  });
  input.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.defaultPrevented) return; // the list of completions has taken the key
    if (event.key === "Escape") stop();
    else if (event.key === "Enter") take(input.value.trim());
  });
  input.focus();
}

// Messages -----------------------------------------------------------------------------------

function say(sentence) {
  find("status").textContent = sentence;
  find("status").classList.remove("problem");
}

function problem(error) {
  if (!(error instanceof Refused)) throw error;
  if (error.status === 0) return lost();
  find("status").textContent = error.message;
  find("status").classList.add("problem");
  return undefined;
}

// Events -------------------------------------------------------------------------------------

function key(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea")) return;
  const letter = event.key.toLowerCase();
  const inTable = body.contains(event.target);
  const place = inTable ? Number(event.target.closest("tr").dataset.place) : active;
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key] ?? null;
  const action = { a: "accept", r: "reject", c: "correct" }[letter];
  const entry = shown.entries[place];
  if (letter === "u") undo();
  else if (step !== null && (inTable || "jk".includes(letter))) focusRow(inTable ? place + step : active);
  else if (inTable && action) act(place, action);
  else if (inTable && /^[1-9]$/.test(letter) && entry.translations[letter - 1]) {
    decide(place, acceptance(entry, entry.translations[letter - 1].word));
  } else return;
  event.preventDefault();
}

document.addEventListener("keydown", key);
body.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  const found = event.target.closest("tr");
  if (!button || !found) return;
  const place = Number(found.dataset.place);
  active = place;
  if (button.dataset.act) act(place, button.dataset.act);
  else decide(place, acceptance(shown.entries[place], button.dataset.take));
});
body.addEventListener("focusin", (event) => {
  active = Number(event.target.closest("tr").dataset.place);
});
form.addEventListener("submit", (event) => event.preventDefault());
function filter() {
  clearTimeout(filtering);
  filtering = setTimeout(() => {
    const { text, state, low, high, sort } = Object.fromEntries(new FormData(form));
    const share = (value, standard) => (value === "" ? standard : Math.min(100, Math.max(0, Number(value))));
    go({ text: text.trim(), state, low: share(low, 0), high: share(high, 100), sort }, { replace: true });
  }, TYPING);
}
form.addEventListener("input", filter);
form.addEventListener("change", filter);
find("undo").addEventListener("click", undo);
find("reset").addEventListener("click", () => {
  form.reset();
  go({ text: "", state: "all", low: 0, high: 100 });
});
find("previous").addEventListener("click", () => go({ offset: Math.max(0, shown.offset - ENTRIES) }));
find("next").addEventListener("click", () => go({ offset: shown.offset + ENTRIES }));
find("with-old").addEventListener("change", (event) => {
  find("save").href = `/api/review/seeds${event.target.checked ? "" : "?old=no"}`;
});
find("copy").addEventListener("click", async () => {
  await navigator.clipboard.writeText(find("command").textContent);
  say("The command is copied.");
});
window.addEventListener("popstate", () => load());

watch(({ changed, wasLost }) => {
  const [about] = abouts;
  if (about.dictionary === undefined) {
    for (const card of document.querySelectorAll("main > .card")) card.hidden = true;
    say("This run has no dictionary to review. The command “lexalign induce” makes one.");
    return;
  }
  find("command").textContent = about.dictionary.command;
  if (changed || wasLost) load({ keep: true });
});
