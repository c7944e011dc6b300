// Building the page: text is only ever set as text, so no word can be markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) {
      node.setAttribute(name, value === true ? "" : value);
    }
  }
  node.append(...children.filter((child) => child !== null));
  return node;
}

export const find = (id) => document.getElementById(id);

export function element(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function shape(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

/** The address of a word on the page that looks words up. */
export function addressOf(word, side, t = null) {
  return `/?${queryOf(word, side, t)}`;
}

/** The address of a word on the map of the vocabulary. */
export function mapAddressOf(word, side) {
  return `/vocabulary?${queryOf(word, side)}`;
}

function queryOf(word, side, t = null) {
  const query = new URLSearchParams({ word });
  if (side) query.set("side", side);
  if (t !== null) query.set("t", String(t));
  return query;
}

const languages = { source: null, target: null };
const CODE = /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/;

/** Take the languages from what the server says: their code, or a name that looks like one. */
export function setLanguages(about) {
  for (const side of ["source", "target"]) {
    const code = about[side].language ?? about[side].name.toLowerCase();
    languages[side] = CODE.test(code) ? code : null;
  }
}

/** The code of a language, for the attribute lang; null if it is not known. */
export const languageOf = (side) => languages[side];

/** A word as text in its language. */
export function wordText(word, side, attributes = {}) {
  return element("span", { ...attributes, lang: languageOf(side), dir: "auto", translate: "no" }, word);
}

/** A word that leads to itself; clicks on these are followed without loading the page anew. */
export function wordLink(word, side) {
  return element(
    "a",
    { href: addressOf(word, side), lang: languageOf(side), dir: "auto", translate: "no" },
    word,
  );
}

/** Call an action at most once in some milliseconds: at once, and with the last values at the end. */
export function throttled(milliseconds, action) {
  let timer = null;
  let last = null;
  const later = () => {
    timer = null;
    if (last === null) return;
    const given = last;
    last = null;
    timer = setTimeout(later, milliseconds);
    action(...given);
  };
  return (...given) => {
    last = given;
    if (timer === null) later();
  };
}

/** A row of table heads; an entry [text, long text] is read out as the latter. */
export function headRow(...heads) {
  return element(
    "tr",
    {},
    ...heads.map((head) =>
      Array.isArray(head)
        ? element("th", { scope: "col", title: head[1] }, element("abbr", { title: head[1] }, head[0]))
        : element("th", { scope: "col" }, head),
    ),
  );
}

export function ordinal(number) {
  const ending = { 1: "st", 2: "nd", 3: "rd" }[number % 10];
  const teen = number % 100 >= 11 && number % 100 <= 13;
  return `${thousands(number)}${teen || !ending ? "th" : ending}`;
}

/** A share as a percentage; what is not quite nothing or all is not shown as such. */
export function percent(share, digits = 0) {
  const smallest = 10 ** -digits;
  if (share > 0 && 100 * share < smallest / 2) return `< ${smallest} %`;
  if (share < 1 && 100 * share > 100 - smallest / 2) return `> ${100 - smallest} %`;
  return `${(100 * share).toFixed(digits)} %`;
}

export const decimals = (value, digits = 3) =>
  value === null ? "–" : value.toFixed(digits).replace("-", "−");

export const thousands = (value) => value.toLocaleString("en");
