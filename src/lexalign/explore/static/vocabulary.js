// The map of the vocabulary: many words of both languages on a plane, to wander about in.

import { ask, Refused } from "/api.js";
import { Combobox, completionsOf } from "/combobox.js";
import { find, mapAddressOf, thousands, wordLink } from "/elements.js";
import { abouts, lost, nameOf, names, watch } from "/shell.js";
import { VocabularyDrawing } from "/vocabulary_drawing.js";
import { showList } from "/vocabulary_list.js";
import { SIDES, Words } from "/vocabulary_words.js";

const COMPLETIONS = 8;
const METHODS = {
  neighbours: "Words are near each other if they are neighbours in the shared space, in either language. "
    + "Distances between distant groups mean little.",
  components: "The axes are the two principal components, which keep few neighbours. "
    + "pip install 'lexalign[map]' gives a better map.",
};

let isDrawn = false;

function say(content, problem = false) {
  find("status").replaceChildren(...[content].flat());
  find("status").classList.toggle("problem", problem);
}

// Looking for a word ---------------------------------------------------------------------------

function search(map, text, side = null) {
  const { words } = map;
  const found = words.matching(text, side);
  if (found.length === 0) {
    const most = Math.max(...words.counts);
    return say([
      `This word is not on the map, which shows the ${thousands(most)} most frequent words of each language. `
        + "Look it up: ",
      wordLink(text, side), ".",
    ], true);
  }
  map.show(found);
  const links = found.flatMap((index, place) => [
    place ? ", " : "Look up: ",
    wordLink(words.word[index], words.sideName(index)),
    ` (${names[words.sideName(index)]}, rank ${thousands(words.rank[index])})`,
  ]);
  say([...links, "."]);
  history.replaceState(null, "", mapAddressOf(text, side));
  return undefined;
}

/** Words of the map that begin like this; if none does, those that were probably meant. */
async function completions(words, prefix) {
  const found = words.beginning(prefix, COMPLETIONS);
  if (found.length) return found.map((index) => ({ word: words.word[index], side: words.sideName(index) }));
  return (await completionsOf(prefix)).filter(({ word, side }) => words.matching(word, side).length);
}

function setUpSearch(map) {
  const field = find("word");
  const combobox = new Combobox(field, find("completions"), {
    complete: (prefix) => completions(map.words, prefix),
    choose: (word, side) => search(map, word, side),
    nameOf,
  });
  find("search").addEventListener("submit", (event) => {
    event.preventDefault();
    combobox.close();
    const text = field.value.trim();
    if (text) search(map, text);
  });
  const query = new URLSearchParams(location.search);
  const word = query.get("word");
  if (word) {
    field.value = word;
    search(map, word, SIDES.includes(query.get("side")) ? query.get("side") : null);
  }
}

function setUpButtons(map) {
  const { camera } = map;
  find("zoom-in").addEventListener("click", () => camera.zoomAt(1.5));
  find("zoom-out").addEventListener("click", () => camera.zoomAt(1 / 1.5));
  find("zoom-all").addEventListener("click", () => camera.showAll());
  find("list-view").addEventListener("click", () => map.select(camera.corners(), true));
  find("list-clear").addEventListener("click", () => {
    map.clear();
    map.surface.focus();
  });
  find("lasso").addEventListener("click", () => {
    map.gestures.isLasso = !map.gestures.isLasso;
    find("lasso").setAttribute("aria-pressed", String(map.gestures.isLasso));
    map.surface.classList.toggle("lasso", map.gestures.isLasso);
  });
}

// Getting there --------------------------------------------------------------------------------

function showProgress({ stage, share }) {
  const percent = share === null ? "" : ` (${Math.floor(100 * share)} %)`;
  find("waiting").hidden = false;
  find("waiting-note").textContent = stage === "the map of the vocabulary"
    ? `The map is being drawn${percent}. This is done once for a run.`
    : `The map comes after ${stage ?? "other work"}${percent}. This is done once for a run.`;
  if (share === null) find("waiting-share").removeAttribute("value");
  else find("waiting-share").value = share;
}

async function draw() {
  isDrawn = true;
  try {
    const answer = await ask("vocabulary");
    const words = new Words(answer);
    find("waiting").hidden = true;
    find("drawn").hidden = false;
    for (const [place, side] of SIDES.entries()) {
      find(`total-${side}`).textContent = thousands(words.counts[place]);
    }
    find("method-note").textContent = METHODS[answer.method];
    const map = new VocabularyDrawing(words, names, say);
    showList(words, [], names);
    setUpButtons(map);
    setUpSearch(map);
    document.body.dataset.ready = "true";
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    isDrawn = false;
    find("waiting").hidden = true;
    if (error.status === 0) lost();
    else say(error.message, true);
  }
}

watch(({ wasLost, changed }) => {
  const [about] = abouts;
  if (isDrawn || !(changed || wasLost || about.vocabulary === "running")) return;
  if (about.vocabulary === "running") showProgress(about.preparation);
  else draw();
});
