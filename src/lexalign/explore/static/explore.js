// The page: its state is its address (word, side, t), and everything shown follows from that.

import { ask, Refused } from "/api.js";
import { setUpCheck } from "/check.js";
import { addressOf, decimals, element, find, thousands, wordLink } from "/elements.js";
import { NeighbourhoodMap } from "/map.js";
import { showNeighbours, showTranslations } from "/results.js";

const SHOWN = 10;
const MILLISECONDS = { typing: 120, sliding: 40, frame: 160, pause: 1000, poll: 1500 };
const PATHS = {
  none: "",
  ends: "The stops between are being worked out.",
  descent: "Every stop is a point of the descent that the refinement went.",
  geodesic: "The descent to this refinement cannot be walked again; the stops lie on the shortest turn to it.",
  planned: "This run has not been refined; the stops are those of the descent that the paper's refinement would go.",
};

let about = null;
let asked = new AbortController();
let playing = null;
let shownRevision = -1;
const names = { source: "source", target: "target" };
const map = new NeighbourhoodMap(find("map"), (side) => names[side]);
const slider = find("slider");

// The address --------------------------------------------------------------------------------

function state() {
  const query = new URLSearchParams(location.search);
  const side = query.get("side");
  const t = Number.parseFloat(query.get("t") ?? "1");
  return {
    word: query.get("word") ?? "",
    side: side === "source" || side === "target" ? side : null,
    t: Number.isFinite(t) ? Math.min(1, Math.max(0, t)) : 1,
  };
}

function go({ word, side, t }, { replace = false } = {}) {
  const address = addressOf(word, side, t === 1 ? null : t);
  if (replace) history.replaceState(null, "", address);
  else if (address !== location.pathname + location.search) history.pushState(null, "", address);
  show();
}

// What the page is about ---------------------------------------------------------------------

function showAbout() {
  for (const side of ["source", "target"]) {
    names[side] = about[side].name;
    for (const place of document.querySelectorAll(`.${side}-name`)) place.textContent = names[side];
  }
  const words = ["source", "target"].map((side) => `${thousands(about[side].words)} words ${names[side]}`);
  find("about").textContent = [about.folder, about.method, ...words].join(" · ");
  find("version").textContent = `Lexalign ${about.version}`;
  slider.max = String(about.path.stops.length - 1);
  slider.disabled = find("play").disabled = about.path.stops.length < 2;
  document.body.classList.toggle("one-end", hasOneEnd());
  find("journey").hidden = about.ranking !== undefined;
  showPreparation();
}

const hasOneEnd = () => about.path.stops.length < 2;

function showPreparation() {
  const { state: stage, stage: name, share, message } = about.preparation;
  const percent = share === null ? "" : ` (${Math.floor(100 * share)} %)`;
  const running = stage === "running";
  const path = find("path-note");
  if (hasOneEnd()) {
    path.textContent = running
      ? "The refinement of these vectors is being computed; the slider will wake up then."
      : (message ??
        (about.method === "refine"
          ? "This refinement left its input unchanged."
          : "There is nothing to refine: no pair would move."));
  } else {
    const planned = about.path.kind === "descent" && about.method !== "refine";
    path.textContent = PATHS[planned ? "planned" : about.path.kind];
  }
  const scoring = find("scoring-note");
  const loading = about.ranking === "loading" ? " The learned ranking is being loaded." : "";
  if (about.ranking === "ready") {
    scoring.textContent = "P is the probability that a translation is right. "
      + (about.scoring === "learned"
        ? "The learned ranking weighs vectors, frequency, spelling and endings."
        : "CSLS orders the translations, as no ranking was learned.");
  } else if (about.scoring === "csls") {
    scoring.textContent = "Ordered by CSLS, which discounts words that are near to everything."
      + (about.ranking === "failed" ? ` ${message ?? ""}` : loading);
  } else if (running) {
    const what = name === "CSLS" ? `CSLS is being prepared${percent}` : "CSLS comes next";
    scoring.textContent = `Ordered by cosine for now: ${what}.${loading}`;
  } else {
    scoring.textContent = `Ordered by cosine. ${message ?? ""}`;
  }
}

async function watch() {
  try {
    const before = about;
    about = await ask("about");
    if (before === null || about.revision !== before.revision) showAbout();
    else showPreparation();
    if (before === null) show();
    else if (about.revision !== shownRevision) show({ again: true });
  } catch (error) {
    say(error.message, true);
  }
  if (about === null || about.preparation.state === "running") {
    setTimeout(watch, MILLISECONDS.poll);
  }
}

// A word -------------------------------------------------------------------------------------

function say(sentence, problem = false) {
  find("status").textContent = sentence;
  find("status").classList.toggle("problem", problem);
}

async function show({ again = false } = {}) {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const { word, side, t } = state();
  if (!again) find("word").value = word;
  const choice = document.querySelector(`#search input[value="${side ?? ""}"]`);
  choice.checked = true;
  document.title = word ? `${word} – Lexalign explorer` : "Lexalign explorer";
  find("suggestions").hidden = true;
  if (!word) {
    find("found").hidden = true;
    showWelcome();
    return say("");
  }
  find("welcome").hidden = true;
  showPosition(t);
  const parameters = { word, side, t, k: SHOWN };
  try {
    const translations = await ask("translate", parameters, signal);
    shownRevision = about.revision;
    showTranslations(translations, names, hasOneEnd());
    find("found").hidden = false;
    const points = matchMedia("(max-width: 40rem)").matches ? 7 : 10;
    const [neighbours, drawing] = await Promise.all([
      ask("neighbours", parameters, signal),
      ask("map", { ...parameters, k: points }, signal),
    ]);
    showNeighbours(neighbours);
    showMap(drawing);
  } catch (error) {
    if (!(error instanceof Refused)) {
      if (error.name === "AbortError") return undefined;
      throw error;
    }
    find("found").hidden = true;
    say(error.message, true);
    showSuggestions(error.suggestions);
  }
  return undefined;
}

function showWelcome() {
  const welcome = find("welcome");
  const examples = about.examples.flatMap((word, place) => [
    place ? ", " : "",
    wordLink(word, "source"),
  ]);
  welcome.replaceChildren(
    about.ranking === undefined
      ? "Type a word of either language to see its translations, its neighbours, and how the refinement moves it."
      : "Type a word of either language to see its translations and its neighbours.",
    ...(examples.length ? [element("br"), "For example ", ...examples, "."] : []),
  );
  welcome.hidden = false;
}

function showSuggestions(suggestions) {
  const place = find("suggestions");
  place.replaceChildren(
    ...suggestions.map(({ word, side }) => {
      const link = wordLink(word, side);
      link.append(element("small", {}, ` ${names[side]}`));
      return link;
    }),
  );
  place.hidden = suggestions.length === 0;
}

function showMap(answer) {
  const gain = map.draw(answer);
  find("gain").textContent = gain > 1 ? `the way from before, enlarged ${gain}×` : "the way from before";
  const share = answer.explained[0] + answer.explained[1];
  find("map-note").textContent =
    `The two principal components of these words show ${Math.round(100 * share)} % of how they differ.`;
}

// The slider ---------------------------------------------------------------------------------

function showPosition(t) {
  const { stops } = about.path;
  const near = stops.reduce(
    (best, stop, place) => (Math.abs(stop - t) < Math.abs(stops[best] - t) ? place : best), 0);
  slider.value = String(near);
  const text = stops.length < 2 || stops[near] === 0 ? "before" : stops[near] === 1 ? "after" : null;
  const figure = `t = ${decimals(stops[near], 2)}`;
  find("position").textContent = figure;
  slider.setAttribute("aria-valuetext", text ? `${text}, ${figure}` : figure);
}

function slideTo(place, options) {
  go({ ...state(), t: about.path.stops[place] }, options);
}

function stopPlaying() {
  clearInterval(playing);
  playing = null;
  find("play").setAttribute("aria-pressed", "false");
  find("play").textContent = "Play";
}

function play() {
  if (playing !== null) return stopPlaying();
  const last = about.path.stops.length - 1;
  let place = Number(slider.value) === last ? 0 : Number(slider.value);
  find("play").setAttribute("aria-pressed", "true");
  find("play").textContent = "Pause";
  slideTo(place, {});
  playing = setInterval(() => {
    place += 1;
    slideTo(place, { replace: true });
    if (place >= last) stopPlaying();
  }, MILLISECONDS.frame);
  return undefined;
}

// Events -------------------------------------------------------------------------------------

function delayed(milliseconds, action) {
  let timer = null;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => action(...given), milliseconds);
  };
}

const complete = delayed(MILLISECONDS.typing, async () => {
  const prefix = find("word").value.trim();
  if (!prefix) return find("completions").replaceChildren();
  const side = new FormData(find("search")).get("side") || null;
  try {
    const { words } = await ask("words", { prefix, side });
    const several = side === null;
    find("completions").replaceChildren(
      ...words.map((entry) =>
        element("option", { value: entry.word, label: several ? names[entry.side] : null }),
      ),
    );
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  return undefined;
});

function submit() {
  const given = new FormData(find("search"));
  const word = given.get("word").trim();
  stopPlaying();
  if (word) go({ word, side: given.get("side") || null, t: state().t });
}

find("search").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
find("word").addEventListener("input", (event) => {
  if (event.inputType === "insertReplacementText") submit();
  else complete();
});
for (const choice of document.querySelectorAll("#search input[type=radio]")) {
  choice.addEventListener("change", submit);
}
// A run of slides is one step of the history, so that going back skips what lies between.
let lastSlide = -Infinity;
const slide = delayed(MILLISECONDS.sliding, () => slideTo(Number(slider.value), { replace: true }));
slider.addEventListener("input", () => {
  stopPlaying();
  if (performance.now() - lastSlide > MILLISECONDS.pause) history.pushState(null, "", location.href);
  lastSlide = performance.now();
  showPosition(about.path.stops[Number(slider.value)]);
  slide();
});
find("play").addEventListener("click", play);
window.addEventListener("popstate", () => {
  stopPlaying();
  show();
});
document.addEventListener("click", (event) => {
  const link = event.target.closest("a");
  if (!link || event.defaultPrevented || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const address = new URL(link.href.baseVal ?? link.href, location.href);
  if (address.origin !== location.origin || address.pathname !== "/" || address.hash) return;
  event.preventDefault();
  stopPlaying();
  find("word").blur();
  const query = new URLSearchParams(address.search);
  const { t } = state();
  if (query.get("word")) {
    go({ word: query.get("word"), side: query.get("side"), t });
    find("results").focus({ preventScroll: true });
  } else {
    history.pushState(null, "", "/");
    show();
  }
});

setUpCheck(() => !hasOneEnd());
watch();
