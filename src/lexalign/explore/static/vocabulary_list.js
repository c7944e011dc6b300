// The words inside the lasso as a list: the same in text.

import { element, find, thousands, wordLink } from "/elements.js";
import { SIDES } from "/vocabulary_words.js";

const SHOWN = 100;

function items(words, indices) {
  return indices.map((index) => element("li", {}, wordLink(words.word[index], words.sideName(index))));
}

function showSide(words, side, indices, names) {
  const list = find(`list-${side}`);
  find(`count-${side}`).textContent = thousands(indices.length);
  list.replaceChildren(...items(words, indices.slice(0, SHOWN)));
  list.setAttribute("aria-label", `Selected words, ${names[side]}`);
  const more = find(`more-${side}`);
  more.hidden = indices.length <= SHOWN;
  more.textContent = `Show all ${thousands(indices.length)}`;
  more.onclick = () => {
    list.replaceChildren(...items(words, indices));
    more.hidden = true;
    list.querySelectorAll("a")[SHOWN].focus();
  };
}

/** Shows the words, and returns a sentence about them. */
export function showList(words, indices, names) {
  const sides = SIDES.map((side, place) => indices.filter((index) => words.side[index] === place));
  SIDES.forEach((side, place) => showSide(words, side, sides[place], names));
  find("list-hint").hidden = indices.length > 0;
  find("list-found").hidden = indices.length === 0;
  const [source, target] = sides.map((some) => thousands(some.length));
  const what = indices.length === 1 ? "word" : "words";
  return `${thousands(indices.length)} ${what} selected: ${source} ${names.source}, ${target} ${names.target}.`;
}
