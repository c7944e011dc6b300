// The page of a word: its state is its address (word, side, t), and all that is shown follows.

import { ask, Refused } from "/api.js";
import { Combobox, completionsOf } from "/combobox.js";
import { addressOf, decimals, element, find, mapAddressOf, throttled, wordLink } from "/elements.js";
import { NeighbourhoodMap } from "/map.js";
import { answerCard, sayWord, showNeighbours } from "/results.js";
import { abouts, lost, nameOf, names, watch } from "/shell.js";

const SHOWN = 10;
const MILLISECONDS = { sliding: 60, frame: 160, pause: 1000, patience: 300 };
const PATHS = {
  none: "",
  ends: "The stops in between are being computed.",
  descent: "Every stop is a point on the path of the refinement.",
  geodesic: "The path of this refinement cannot be repeated. The stops lie on the shortest rotation to its result.",
  planned: "This run has not been refined. The stops show what the paper's refinement would do.",
};

let asked = new AbortController();
let playing = null;
let isShown = false;
const map = new NeighbourhoodMap(find("map"), nameOf);
const slider = find("slider");
const narrow = matchMedia("(max-width: 40rem)");

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

function go({ word, side, t }, { replace = false, scroll = false } = {}) {
  const address = addressOf(word, side, t === 1 ? null : t);
  if (replace) history.replaceState(null, "", address);
  else if (address !== location.pathname + location.search) history.pushState(null, "", address);
  return show({ scroll });
}

// What the page is about ---------------------------------------------------------------------

const hasSlider = () => abouts[0].path.stops.length > 1 && abouts[0].ranking === undefined;

function showAbout() {
  const [about] = abouts;
  slider.max = String(about.path.stops.length - 1);
  find("journey").hidden = !hasSlider();
  document.body.classList.toggle("one-end", !hasSlider());
  find("path-note").textContent = abouts.map(pathNote).filter((note) => note).join(" ");
}

/** What the stops of a run are; of several runs, with the name of the run. */
function pathNote({ folder, method, path }) {
  const note = PATHS[path.kind === "descent" && method !== "refine" ? "planned" : path.kind];
  return note && abouts.length > 1 ? `${folder}: ${note}` : note;
}

function heard({ changed, wasLost }) {
  if (changed) showAbout();
  if (changed || wasLost) show({ again: isShown });
  isShown = true;
}

// A word -------------------------------------------------------------------------------------

function say(sentence, problem = false) {
  find("status").textContent = sentence;
  find("status").classList.toggle("problem", problem);
}

function busy(is) {
  find("results").setAttribute("aria-busy", String(is));
}

async function show({ again = false, scroll = false } = {}) {
  asked.abort();
  asked = new AbortController();
  const { signal } = asked;
  const { word, side, t } = state();
  if (!again) find("word").value = word;
  document.querySelector(`#search input[value="${side ?? ""}"]`).checked = true;
  document.title = `${word || "Look up"} – Lexalign explorer`;
  find("suggestions").hidden = true;
  if (!word) {
    busy(false);
    hideWord();
    showWelcome();
    return say("");
  }
  find("welcome").hidden = true;
  showPosition(t);
  busy(true);
  const slow = setTimeout(() => find("found").hidden && say("Looking up …"), MILLISECONDS.patience);
  try {
    await showWord({ word, side, t, k: SHOWN }, signal, scroll);
    busy(false);
  } catch (error) {
    if (error.name === "AbortError") return undefined;
    busy(false);
    if (!(error instanceof Refused)) throw error;
    if (error.status === 0) return lost();
    hideWord();
    showProblem(error);
  } finally {
    clearTimeout(slow);
  }
  return undefined;
}

async function showWord(parameters, signal, scroll) {
  const answers = await Promise.all(
    abouts.map((_, place) => answerOf(place + 1, parameters, signal, abouts.length > 1)),
  );
  const known = answers.find((answer) => !(answer instanceof Refused));
  if (known === undefined) throw answers[0];
  sayWord(known, names);
  showMapLink(answers[0]);
  find("answers").classList.toggle("several", answers.length > 1);
  find("answers").replaceChildren(...answers.map((answer, place) => cardOf(answer, place)));
  find("found").hidden = false;
  if (scroll && narrow.matches) find("status").scrollIntoView({ block: "start" });
  const place = answers.indexOf(known);
  for (const name of document.querySelectorAll(".of-run")) {
    name.textContent = answers.length > 1 ? `in ${abouts[place].folder}` : "";
  }
  const first = { ...parameters, run: place + 1 };
  const [neighbours, drawing] = await Promise.all([
    ask("neighbours", first, signal),
    ask("map", { ...first, k: narrow.matches ? 7 : 10 }, signal),
  ]);
  showNeighbours(neighbours);
  showMap(drawing);
}

function hideWord() {
  find("found").hidden = true;
  find("to-map").hidden = true;
}

/** Lead to the map, which is that of the first run, if it has or will have the word. */
function showMapLink({ on_map: isOnMap = false, word, side }) {
  find("to-map").hidden = !isOnMap || abouts[0].vocabulary === "failed";
  find("to-map").href = mapAddressOf(word, side);
}

/** The translations of one run; of several runs, one that does not know the word does not matter. */
async function answerOf(run, parameters, signal, several) {
  try {
    return await ask("translate", { ...parameters, run }, signal);
  } catch (error) {
    if (several && error instanceof Refused && error.status === 404) return error;
    throw error;
  }
}

function cardOf(answer, place) {
  const about = abouts[place];
  const title = abouts.length > 1 ? `${about.folder} (${about.method})` : null;
  if (answer instanceof Refused) {
    return element("section", { class: "card answer", "aria-label": title },
      element("h2", { class: "run-name" }, title), element("p", { class: "quiet" }, answer.message));
  }
  return answerCard(answer, about, names, title);
}

function showProblem(error) {
  if (error.code === "other-language") {
    const [{ word, side }] = error.suggestions;
    const link = wordLink(word, side);
    link.textContent = `${word} →`;
    say("");
    find("status").append(element("span", {}, "This is a word of ", names[side], ": ", link));
    return;
  }
  say(error.message, true);
  showSuggestions(error.suggestions);
}

function showWelcome() {
  const welcome = find("welcome");
  const examples = abouts[0].examples.flatMap((word, place) => [
    place ? ", " : "",
    wordLink(word, "source"),
  ]);
  welcome.replaceChildren(
    "Type a word of either language to see its translations and its neighbours.",
    ...(examples.length ? [element("br"), "For example ", ...examples, "."] : []),
  );
  welcome.hidden = false;
}

function showSuggestions(suggestions) {
  const place = find("suggestions");
  place.replaceChildren(
    ...suggestions.map(({ word, side }) => {
      const link = wordLink(word, side);
      link.append(element("small", { lang: "en" }, ` ${names[side]}`));
      return link;
    }),
  );
  place.hidden = suggestions.length === 0;
}

function showMap(answer) {
  const gain = map.draw(answer);
  find("gain").textContent = gain > 1 ? `shift since before, enlarged ${gain}×` : "shift since before";
  const share = answer.explained[0] + answer.explained[1];
  find("map-note").textContent =
    `The two principal components of these words show ${Math.round(100 * share)} % of how they differ.`;
}

// The slider ---------------------------------------------------------------------------------

function showPosition(t) {
  const { stops } = abouts[0].path;
  const near = stops.reduce(
    (best, stop, place) => (Math.abs(stop - t) < Math.abs(stops[best] - t) ? place : best), 0);
  slider.value = String(near);
  const text = stops[near] === 0 ? "before" : stops[near] === 1 ? "after" : null;
  const figure = `t = ${decimals(stops[near], 2)}`;
  find("position").textContent = figure;
  slider.setAttribute("aria-valuetext", text ? `${text}, ${figure}` : figure);
}

function slideTo(place, options) {
  go({ ...state(), t: abouts[0].path.stops[place] }, options);
}

function stopPlaying() {
  clearInterval(playing);
  playing = null;
  find("play").setAttribute("aria-pressed", "false");
  find("play").textContent = "Play";
}

function play() {
  if (playing !== null) return stopPlaying();
  const last = abouts[0].path.stops.length - 1;
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

const chosenSide = () => new FormData(find("search")).get("side") || null;

function submit() {
  const word = find("word").value.trim();
  stopPlaying();
  completions.close();
  if (word) go({ word, side: chosenSide(), t: state().t }, { scroll: true });
}

const completions = new Combobox(find("word"), find("completions"), {
  complete: (prefix) => completionsOf(prefix, chosenSide()),
  nameOf,
  choose(word, side) {
    stopPlaying();
    go({ word, side, t: state().t }, { scroll: true });
  },
});

find("search").addEventListener("submit", (event) => {
  event.preventDefault();
  submit();
});
for (const choice of document.querySelectorAll("#search input[type=radio]")) {
  choice.addEventListener("change", submit);
}
// A run of slides is one step of the history, so that going back skips what lies between.
let lastSlide = -Infinity;
const slide = throttled(MILLISECONDS.sliding, () => slideTo(Number(slider.value), { replace: true }));
slider.addEventListener("input", () => {
  stopPlaying();
  if (performance.now() - lastSlide > MILLISECONDS.pause) history.pushState(null, "", location.href);
  lastSlide = performance.now();
  showPosition(abouts[0].path.stops[Number(slider.value)]);
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
    go({ word: query.get("word"), side: query.get("side"), t }, { scroll: true });
    find("results").focus({ preventScroll: true });
  } else {
    history.pushState(null, "", "/");
    show();
    find("word").focus();
  }
});

watch(heard);
