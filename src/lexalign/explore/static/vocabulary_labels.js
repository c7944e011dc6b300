// Names on the map: frequent words first, more of them while one zooms in, none over another.

const MOST_LABELS = 130;
const MOST_CANDIDATES = 4000;
const LONGEST = 18;
const HEIGHT = 15;
const GAP = { side: 10, above: 5 };
const FEWEST_RANKS = 120;

export const shortened = (word) => {
  const letters = [...word];
  return letters.length > LONGEST ? `${letters.slice(0, LONGEST - 1).join("")}…` : word;
};

const overlap = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

export class Labels {
  constructor(context, words, family) {
    this.context = context;
    this.words = words;
    this.family = family;
    this.widths = new Float32Array(words.count);
    this.texts = new Array(words.count);
  }

  font(index, strong = false) {
    const slant = this.words.side[index] === 1 ? "italic " : "";
    return `${slant}${strong ? "700 15px" : "400 13px"} ${this.family}`;
  }

  /** The width of a name, measured once. */
  width(index) {
    if (this.widths[index] === 0) {
      this.texts[index] = shortened(this.words.word[index]);
      this.context.font = this.font(index);
      this.widths[index] = Math.max(1, this.context.measureText(this.texts[index]).width);
    }
    return this.widths[index];
  }

  /** The words to name and where: `strong` are the indices that get strong names. */
  placed(camera, radius, strong) {
    const { words } = this;
    const ranks = FEWEST_RANKS * camera.zoom ** 2;
    const boxes = [];
    const taken = [...strong].map((index) => this.strongBox(index, camera, radius));
    let candidates = 0;
    for (let index = 0; index < words.count; index += 1) {
      if (words.rank[index] > ranks || candidates > MOST_CANDIDATES) break;
      const [x, y] = camera.screen(words.x[index], words.y[index]);
      if (x < 0 || y < 8 || x > camera.width || y > camera.height - 8 || strong.has(index)) continue;
      candidates += 1;
      const width = this.width(index);
      const isRight = x + radius + 3 + width < camera.width;
      const left = isRight ? x + radius + 3 : x - radius - 3 - width;
      const box = {
        index, x: left, y,
        left: left - GAP.side, right: left + width + GAP.side,
        top: y - HEIGHT / 2 - GAP.above, bottom: y + HEIGHT / 2 + GAP.above,
      };
      if (taken.some((other) => overlap(box, other))) continue;
      taken.push(box);
      boxes.push(box);
      if (boxes.length >= MOST_LABELS) break;
    }
    return boxes;
  }

  draw(boxes, colours) {
    const { context, words } = this;
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = 3;
    context.strokeStyle = colours.halo;
    for (const side of [0, 1]) {
      context.fillStyle = side ? colours.targetText : colours.sourceText;
      const some = boxes.filter(({ index }) => words.side[index] === side);
      if (some.length) context.font = this.font(some[0].index);
      for (const { index, x, y } of some) {
        context.strokeText(this.texts[index], x, y);
        context.fillText(this.texts[index], x, y);
      }
    }
  }

  /** Where a strong name stands: right of its ring, or left at the border. */
  strongBox(index, camera, radius) {
    const { context, words } = this;
    context.font = this.font(index, true);
    const [x, y] = camera.screen(words.x[index], words.y[index]);
    const width = context.measureText(shortened(words.word[index])).width;
    const isRight = x + radius + 10 + width < camera.width - 4;
    const left = isRight ? x + radius + 10 : x - radius - 10 - width;
    return { x: left, y, left: left - 4, right: left + width + 4, top: y - 10, bottom: y + 10 };
  }

  /** A ring around a word, and its name in strong letters. */
  drawStrong(index, camera, radius, colours) {
    const { context, words } = this;
    const [x, y] = camera.screen(words.x[index], words.y[index]);
    const text = shortened(words.word[index]);
    context.strokeStyle = colours.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, radius + 5, 0, 2 * Math.PI);
    context.stroke();
    context.font = this.font(index, true);
    context.textBaseline = "middle";
    context.strokeStyle = colours.halo;
    context.lineWidth = 4;
    const left = this.strongBox(index, camera, radius).x;
    context.strokeText(text, left, y);
    context.fillStyle = words.side[index] ? colours.targetText : colours.sourceText;
    context.fillText(text, left, y);
  }
}
