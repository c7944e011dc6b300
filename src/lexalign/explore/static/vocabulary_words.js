// The words of the map: where they are, which lie near or inside something, which are meant.

const CELLS = 128;
export const SIDES = ["source", "target"];

/** A word without case and accents, as it is compared. */
export function folded(word) {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

function isInside(polygon, x, y) {
  let inside = false;
  for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i, i += 1) {
    const [ax, ay] = polygon[i];
    const [bx, by] = polygon[j];
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) inside = !inside;
  }
  return inside;
}

/** All words, those of both languages in turn, the most frequent first; places are from 0 to 1. */
export class Words {
  constructor(answer) {
    const { extent } = answer;
    const counts = SIDES.map((side) => answer[side].words.length);
    this.counts = counts;
    this.count = counts[0] + counts[1];
    this.x = new Float32Array(this.count);
    this.y = new Float32Array(this.count);
    this.side = new Uint8Array(this.count);
    this.rank = new Uint32Array(this.count);
    this.word = new Array(this.count);
    let next = 0;
    for (let rank = 0; rank < Math.max(...counts); rank += 1) {
      for (let side = 0; side < 2; side += 1) {
        if (rank >= counts[side]) continue;
        const { words, x, y } = answer[SIDES[side]];
        this.x[next] = x[rank] / extent;
        this.y[next] = 1 - y[rank] / extent;
        this.side[next] = side;
        this.rank[next] = rank + 1;
        this.word[next] = words[rank];
        next += 1;
      }
    }
    this.sortIntoCells();
  }

  sideName(index) {
    return SIDES[this.side[index]];
  }

  sortIntoCells() {
    this.starts = new Uint32Array(CELLS * CELLS + 1);
    const cells = new Uint32Array(this.count);
    for (let index = 0; index < this.count; index += 1) {
      cells[index] = this.column(this.y[index]) * CELLS + this.column(this.x[index]);
      this.starts[cells[index] + 1] += 1;
    }
    for (let cell = 0; cell < CELLS * CELLS; cell += 1) this.starts[cell + 1] += this.starts[cell];
    const next = this.starts.slice();
    this.sorted = new Uint32Array(this.count);
    for (let index = 0; index < this.count; index += 1) {
      this.sorted[next[cells[index]]] = index;
      next[cells[index]] += 1;
    }
  }

  column(place) {
    return Math.max(0, Math.min(CELLS - 1, Math.floor(place * CELLS)));
  }

  /** Calls `visit` with every word in the cells that touch a rectangle. */
  visit(left, top, right, bottom, visit) {
    for (let row = this.column(top); row <= this.column(bottom); row += 1) {
      const from = this.starts[row * CELLS + this.column(left)];
      const to = this.starts[row * CELLS + this.column(right) + 1];
      for (let place = from; place < to; place += 1) visit(this.sorted[place]);
    }
  }

  /** The nearest word within a distance, or null. */
  nearest(x, y, distance) {
    let best = null;
    let least = distance * distance;
    this.visit(x - distance, y - distance, x + distance, y + distance, (index) => {
      const away = (this.x[index] - x) ** 2 + (this.y[index] - y) ** 2;
      if (away < least || (away === least && best !== null && index < best)) {
        best = index;
        least = away;
      }
    });
    return best;
  }

  /** The words inside a polygon, the most frequent first. */
  inside(polygon) {
    const xs = polygon.map(([x]) => x);
    const ys = polygon.map(([, y]) => y);
    const found = [];
    const box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
    this.visit(...box, (index) => {
      if (isInside(polygon, this.x[index], this.y[index])) found.push(index);
    });
    return found.sort((one, other) => one - other);
  }

  /** The words that are meant: spelled like this, or so but for case and accents. */
  matching(text, side = null) {
    const fits = (index) => side === null || this.sideName(index) === side;
    const exact = [];
    const alike = [];
    const wanted = folded(text);
    for (let index = 0; index < this.count; index += 1) {
      if (!fits(index)) continue;
      if (this.word[index] === text) exact.push(index);
      else if (this.folded[index] === wanted) alike.push(index);
    }
    return exact.length ? exact : alike;
  }

  /** Some frequent words that begin like this. */
  beginning(prefix, most) {
    const wanted = folded(prefix);
    const found = [];
    for (let index = 0; index < this.count && found.length < most; index += 1) {
      if (this.folded[index].startsWith(wanted)) found.push(index);
    }
    return found;
  }

  get folded() {
    this.foldedWords ??= this.word.map(folded);
    return this.foldedWords;
  }
}
