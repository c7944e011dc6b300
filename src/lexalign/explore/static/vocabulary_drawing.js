// The map on its two canvases: points below; names, rings and the lasso above.

import { addressOf, element, find, thousands } from "/elements.js";
import { Camera } from "/vocabulary_camera.js";
import { Gestures } from "/vocabulary_gestures.js";
import { Labels } from "/vocabulary_labels.js";
import { showList } from "/vocabulary_list.js";
import { Points, radiusAt } from "/vocabulary_points.js";

const FOUND_ZOOM = 10;
const MOST_PIXELS = 3e6;
const SLOW = 22;
const REST = 200;

/** The colours of the style sheet: as numbers for points, as text for names. */
function readColours() {
  const style = getComputedStyle(document.documentElement);
  const text = (name) => style.getPropertyValue(`--${name}`).trim();
  const numbers = (name) => [1, 3, 5].map((place) => Number.parseInt(text(name).slice(place, place + 2), 16));
  return {
    isDark: matchMedia("screen and (prefers-color-scheme: dark)").matches,
    card: numbers("card"), source: numbers("source"), target: numbers("target"),
    ink: text("ink"), halo: text("halo"), accent: text("accent"),
    sourceText: text("source"), targetText: text("target"),
  };
}

export class VocabularyDrawing {
  /** `names` are those of the languages; `say` takes a sentence for the reader. */
  constructor(words, names, say) {
    Object.assign(this, { words, names, say });
    this.surface = find("plane");
    this.context = this.surface.getContext("2d");
    this.points = new Points(find("points"), words);
    this.labels = new Labels(this.context, words, getComputedStyle(document.body).fontFamily);
    this.colours = readColours();
    this.found = new Set();
    this.pointed = null;
    this.lasso = null;
    this.frame = null;
    this.lastDrawn = this.pace = 0;
    this.isSlow = false;
    this.camera = new Camera(words, () => this.redraw());
    this.gestures = new Gestures(this.surface, words, this.camera, {
      point: (index, x, y) => this.point(index, x, y),
      open: (index, aside) => this.open(index, aside),
      lasso: (polygon, done) => this.select(polygon, done),
      clear: () => this.clear(),
    });
    new ResizeObserver(() => this.resize()).observe(this.surface.parentElement);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.colours = readColours();
      this.redraw();
    });
    this.resize();
  }

  resize() {
    const { clientWidth: width, clientHeight: height } = this.surface.parentElement;
    // A frame of more pixels would take too long to fill.
    this.sharp = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / Math.max(1, width * height)));
    this.camera.resize(width, height);
    this.sharpen(this.sharp);
    this.draw();  // A canvas that was resized is empty until then.
  }

  /** Sets how many pixels of the screen a pixel of the page has. */
  sharpen(ratio) {
    const { width, height } = this.camera;
    this.ratio = ratio;
    this.surface.width = Math.round(width * ratio);
    this.surface.height = Math.round(height * ratio);
    this.points.resize(width, height, ratio);
  }

  /** Where frames of a dense screen take too long, draws coarsely as long as something moves. */
  keepPace() {
    const now = performance.now();
    const passed = now - this.lastDrawn;
    this.lastDrawn = now;
    if (this.sharp <= 1) return;
    if (passed < 150) this.pace += 0.2 * (passed - this.pace);
    this.isSlow ||= this.pace > SLOW;
    if (!this.isSlow) return;
    if (passed < 150 && this.ratio !== 1) this.sharpen(1);
    clearTimeout(this.rest);
    if (this.ratio === this.sharp) return;
    this.rest = setTimeout(() => {
      this.sharpen(this.sharp);
      this.draw();
    }, REST);
  }

  redraw() {
    this.frame ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (this.frame !== null) cancelAnimationFrame(this.frame);
    this.frame = null;
    const { camera, colours, context, labels } = this;
    this.keepPace();
    const radius = radiusAt(camera);
    this.points.draw(camera, colours);
    context.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    context.clearRect(0, 0, camera.width, camera.height);
    this.drawLasso();
    const boxes = labels.placed(camera, radius, this.found);
    labels.draw(boxes, colours);
    for (const index of this.found) labels.drawStrong(index, camera, radius, colours);
    if (this.pointed !== null) this.drawPointed(radius);
    this.surface.parentElement.classList.toggle("drawn-dark", colours.isDark);
    this.surface.dataset.zoom = camera.zoom.toFixed(2);
    this.surface.dataset.labels = String(boxes.length);
  }

  drawPointed(radius) {
    const { camera, colours, context, words, pointed } = this;
    context.strokeStyle = colours.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(...camera.screen(words.x[pointed], words.y[pointed]), radius + 4, 0, 2 * Math.PI);
    context.stroke();
  }

  drawLasso() {
    if (this.lasso === null) return;
    const { camera, colours, context } = this;
    context.beginPath();
    for (const [x, y] of this.lasso) context.lineTo(...camera.screen(x, y));
    context.closePath();
    context.globalAlpha = 0.1;
    context.fillStyle = colours.accent;
    context.fill();
    context.globalAlpha = 1;
    context.setLineDash([5, 4]);
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    context.stroke();
    context.setLineDash([]);
  }

  point(index, x, y) {
    if (index === this.pointed && index === null) return;
    const changed = index !== this.pointed;
    this.pointed = index;
    const tip = find("tip");
    tip.hidden = index === null;
    this.surface.classList.toggle("on-word", index !== null);
    if (index !== null) {
      const { words, camera, names } = this;
      tip.replaceChildren(
        element("strong", { dir: "auto", translate: "no" }, words.word[index]),
        element("span", {}, `${names[words.sideName(index)]}, rank ${thousands(words.rank[index])}`),
      );
      const left = Math.max(4, Math.min(x + 14, camera.width - tip.offsetWidth - 4));
      const above = y + 18 + tip.offsetHeight > camera.height;
      tip.style.left = `${left}px`;
      tip.style.top = `${above ? y - tip.offsetHeight - 12 : y + 18}px`;
    }
    if (changed) this.redraw();
  }

  open(index, aside) {
    const address = addressOf(this.words.word[index], this.words.sideName(index));
    if (aside) window.open(address, "_blank", "noopener");
    else location.assign(address);
  }

  select(polygon, done) {
    this.lasso = polygon;
    this.redraw();
    if (done) this.say(showList(this.words, this.words.inside(polygon), this.names));
  }

  clear() {
    this.lasso = null;
    this.found = new Set();
    showList(this.words, [], this.names);
    this.say("");
    this.redraw();
  }

  /** Shows words, and goes to the first of them. */
  show(indices) {
    this.found = new Set(indices);
    const [first] = indices;
    const { words, camera } = this;
    camera.flyTo(words.x[first], words.y[first], Math.max(FOUND_ZOOM, camera.zoom));
    this.redraw();
  }
}
