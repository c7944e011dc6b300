// What all pages share: the top with its links, the names of the languages, and the connection.

import { ask } from "/api.js";
import { element, find, setLanguages, thousands } from "/elements.js";

const POLL = 1500;

export const names = { source: "source", target: "target" };
export const nameOf = (side) => names[side];

/** What the server says of itself, that of each run; filled by watch(). */
export const abouts = [];

function showTop() {
  const [about] = abouts;
  for (const side of ["source", "target"]) {
    names[side] = about[side].name;
    for (const place of document.querySelectorAll(`.${side}-name`)) place.textContent = names[side];
  }
  setLanguages(about);
  const words = ["source", "target"].map((side) => `${names[side]}: ${thousands(about[side].words)} words`);
  const folders = abouts.map(({ folder, method }) => `${folder} (${method})`).join(" and ");
  find("about").replaceChildren(
    folders, ...words.flatMap((text) => [" · ", element("span", { class: "whole" }, text)]));
  find("version").textContent = `Lexalign ${about.version}`;
  find("to-review").hidden = about.dictionary === undefined;
  for (const link of document.querySelectorAll(".top nav a")) {
    if (link.pathname === location.pathname) link.setAttribute("aria-current", "page");
  }
}

function showConnection(lost) {
  const banner = find("connection");
  if (banner.hidden === !lost) return;
  banner.hidden = !lost;
  banner.textContent = lost ? "The explorer does not answer. Is it still running? Trying again …" : "";
}

let timer = null;
let call = () => undefined;

async function look() {
  clearTimeout(timer);
  let again = true;
  try {
    const first = await ask("about");
    const others = await Promise.all(
      Array.from({ length: first.runs - 1 }, (_, place) => ask("about", { run: place + 2 })),
    );
    const wasLost = !find("connection").hidden;
    const changed = abouts.length === 0 || [first, ...others].some(
      (about, place) => about.revision !== abouts[place].revision,
    );
    abouts.splice(0, abouts.length, first, ...others);
    showTop();
    showConnection(false);
    again = abouts.some((about) => about.preparation.state === "running");
    call({ changed, wasLost });
  } catch (error) {
    if (error.status === undefined) throw error;
    showConnection(true);
  }
  if (again) timer = setTimeout(look, POLL);
}

/** Keep what is known of the server up to date; onNews({changed, wasLost}) after every look. */
export function watch(onNews) {
  call = onNews;
  return look();
}

/** A request has failed because nobody answers: say so, and look until somebody does. */
export function lost() {
  showConnection(true);
  clearTimeout(timer);
  timer = setTimeout(look, POLL);
}
