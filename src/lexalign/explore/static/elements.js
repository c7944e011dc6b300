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

/** The address of a word on this page. */
export function addressOf(word, side, t = null) {
  const query = new URLSearchParams({ word });
  if (side) query.set("side", side);
  if (t !== null) query.set("t", String(t));
  return `/?${query}`;
}

/** A word that leads to itself; clicks on these are followed without loading the page anew. */
export function wordLink(word, side) {
  return element("a", { href: addressOf(word, side), dir: "auto", translate: "no" }, word);
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

export const decimals = (value, digits = 3) =>
  value === null ? "–" : value.toFixed(digits).replace("-", "−");

export const thousands = (value) => value.toLocaleString("en");
