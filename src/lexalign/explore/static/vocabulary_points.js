// The points as pixels, drawn by the processor: circles for the source, diamonds for the target.
//
// A mark is a small table of pixels and how much of each it covers, one table for every quarter of
// a pixel that it may be shifted by. Drawing 20,000 marks is then a few hundred thousand sums.

const PHASES = 4;

/** The radius of a mark in CSS pixels: smaller on a small map, growing while one zooms in. */
export function radiusAt({ zoom, wholeScale }) {
  const smallest = 1.5 * Math.min(1, Math.max(0.65, wholeScale / 450));
  return Math.min(5, smallest + 0.55 * Math.log2(Math.max(1, zoom)));
}

/** How much a mark hides what is below: overlapping marks show where words crowd. */
const opacityAt = ({ zoom }) => Math.min(0.95, 0.62 + 0.07 * Math.log2(Math.max(1, zoom)));

function coverage(side, radius, x, y) {
  const distance = side === 0 ? Math.hypot(x, y) - radius : (Math.abs(x) + Math.abs(y) - 1.3 * radius) / 1.414;
  return Math.min(1, Math.max(0, 0.5 - distance));
}

/** The pixels of a mark: where they lie from its corner, and how much of them it covers. */
function mark(side, radius, opacity, reach, width, right, below) {
  const offsets = [];
  const shares = [];
  for (let row = -reach; row <= reach; row += 1) {
    for (let column = -reach; column <= reach; column += 1) {
      const share = opacity * coverage(side, radius, column + 0.5 - right, row + 0.5 - below);
      if (share < 0.02) continue;
      offsets.push(4 * (row * width + column));
      shares.push(Math.round(256 * share));
    }
  }
  return { offsets: Int32Array.from(offsets), shares: Int32Array.from(shares) };
}

export class Points {
  constructor(canvas, words) {
    this.canvas = canvas;
    this.words = words;
    this.context = canvas.getContext("2d", { alpha: false });
    this.pad = 16;
    this.marks = null;
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.image = new ImageData(this.canvas.width + 2 * this.pad, this.canvas.height + 2 * this.pad);
    this.bytes = new Uint8Array(this.image.data.buffer);
    this.whole = new Uint32Array(this.image.data.buffer);
    this.marks = null;
  }

  prepare(camera) {
    const radius = Math.round(8 * radiusAt(camera) * this.ratio) / 8;
    const opacity = Math.round(50 * opacityAt(camera)) / 50;
    if (this.marks !== null && this.radius === radius && this.opacity === opacity) return;
    this.radius = radius;
    this.opacity = opacity;
    const reach = Math.min(this.pad - 1, Math.ceil(1.4 * radius) + 1);
    this.marks = [0, 1].map((side) =>
      Array.from({ length: PHASES * PHASES }, (_, phase) =>
        mark(side, radius, opacity, reach, this.image.width,
          (phase % PHASES) / PHASES, Math.floor(phase / PHASES) / PHASES)));
  }

  draw(camera, colours) {
    this.prepare(camera);
    const { words, bytes, pad, ratio, marks } = this;
    const { width, height } = this.image;
    const [red, green, blue] = colours.card;
    // The bytes of a pixel are red, green, blue and opacity on every machine with a browser.
    this.whole.fill(((255 << 24) | (blue << 16) | (green << 8) | red) >>> 0);
    const scale = camera.scale * ratio;
    const left = pad + (camera.width * ratio) / 2 - camera.x * scale;
    const top = pad + (camera.height * ratio) / 2 - camera.y * scale;
    const colour = [colours.source, colours.target];
    for (let index = words.count - 1; index >= 0; index -= 1) {
      const x = left + words.x[index] * scale;
      const y = top + words.y[index] * scale;
      if (x < pad / 2 || y < pad / 2 || x > width - pad / 2 || y > height - pad / 2) continue;
      const column = Math.floor(x);
      const row = Math.floor(y);
      const side = words.side[index];
      const phase = Math.floor(PHASES * (y - row)) * PHASES + Math.floor(PHASES * (x - column));
      const { offsets, shares } = marks[side][phase];
      const [r, g, b] = colour[side];
      const corner = 4 * (row * width + column);
      for (let pixel = 0; pixel < offsets.length; pixel += 1) {
        const place = corner + offsets[pixel];
        const share = shares[pixel];
        bytes[place] += ((r - bytes[place]) * share) >> 8;
        bytes[place + 1] += ((g - bytes[place + 1]) * share) >> 8;
        bytes[place + 2] += ((b - bytes[place + 2]) * share) >> 8;
      }
    }
    this.context.putImageData(this.image, -pad, -pad);
  }
}
