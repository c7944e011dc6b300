// A text field with a list of completions: the combobox pattern of WAI-ARIA.

import { ask, Refused } from "/api.js";
import { element, languageOf } from "/elements.js";

const TYPING = 120;

/** Words of the run that begin like this, or that were probably meant; side is null for both. */
export async function completionsOf(prefix, side = null) {
  return (await ask("words", { prefix, side })).words;
}

/**
 * Complete words while somebody types.
 *
 * options.complete(prefix) gives the completions, each with word and side, or a promise of them;
 * options.choose(word, side) is called with the completion that was chosen; options.nameOf(side) is
 * what a language is called.
 */
export class Combobox {
  constructor(input, list, { complete, choose, nameOf }) {
    Object.assign(this, { input, list, find: complete, choose, nameOf, active: -1, entries: [], timer: null, request: 0 });
    input.setAttribute("role", "combobox");
    input.setAttribute("aria-autocomplete", "list");
    input.setAttribute("aria-controls", list.id);
    input.setAttribute("aria-expanded", "false");
    list.setAttribute("role", "listbox");
    input.addEventListener("input", () => this.typed());
    input.addEventListener("keydown", (event) => this.key(event));
    input.addEventListener("blur", () => this.close());
    // Before the field loses the focus, which would close the list.
    list.addEventListener("pointerdown", (event) => {
      event.preventDefault();
      const option = event.target.closest("[role=option]");
      if (option) this.take(Number(option.dataset.place));
    });
  }

  typed() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.complete(), TYPING);
  }

  async complete() {
    const prefix = this.input.value.trim();
    if (!prefix) return this.close();
    const request = (this.request += 1);
    try {
      const words = await this.find(prefix);
      if (request === this.request && document.activeElement === this.input) this.open(words);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.close();
    }
    return undefined;
  }

  open(words) {
    this.entries = words;
    this.active = -1;
    this.list.replaceChildren(
      ...words.map(({ word, side }, place) =>
        element(
          "li",
          { role: "option", id: `${this.list.id}-${place}`, "data-place": place, "aria-selected": "false" },
          element("span", { class: "option-word", lang: languageOf(side), dir: "auto", translate: "no" }, word),
          element("span", { class: `chip ${side}` }, this.nameOf(side)),
        ),
      ),
    );
    this.list.hidden = words.length === 0;
    this.input.setAttribute("aria-expanded", String(words.length > 0));
    this.input.removeAttribute("aria-activedescendant");
  }

  close() {
    clearTimeout(this.timer);
    this.request += 1; // an answer that is still on its way must not open the list again
    this.list.hidden = true;
    this.active = -1;
    this.input.setAttribute("aria-expanded", "false");
    this.input.removeAttribute("aria-activedescendant");
  }

  key(event) {
    if (event.isComposing) return;
    if (event.key === "Escape" && !this.list.hidden) {
      event.preventDefault();
      event.stopPropagation();
      this.close();
    } else if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (this.list.hidden) this.complete();
      else this.move(event.key === "ArrowDown" ? 1 : -1);
    } else if (event.key === "Enter" && this.active >= 0 && !this.list.hidden) {
      event.preventDefault();
      this.take(this.active);
    }
  }

  move(step) {
    const count = this.entries.length + 1; // the field itself is a stop, too
    this.active = ((this.active + 1 + step + count) % count) - 1;
    [...this.list.children].forEach((option, place) => {
      option.setAttribute("aria-selected", String(place === this.active));
      if (place === this.active) option.scrollIntoView({ block: "nearest" });
    });
    if (this.active < 0) this.input.removeAttribute("aria-activedescendant");
    else this.input.setAttribute("aria-activedescendant", `${this.list.id}-${this.active}`);
  }

  take(place) {
    const { word, side } = this.entries[place];
    this.input.value = word;
    this.close();
    this.choose(word, side);
  }
}
