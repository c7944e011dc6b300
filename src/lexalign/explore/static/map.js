// The neighbourhood of a word as a drawing: circles and diamonds, with names that do not overlap.

import { addressOf, shape } from "/elements.js";

const LONGEST_NAME = 18;
const MARGIN = { side: 34, top: 26 };
const LONGEST_TRAIL = 36;
const LARGEST_GAIN = 20;
const REACH = 12; // a point can be hit within so many pixels
const DIRECTIONS = [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]];

const pencil = document.createElement("canvas").getContext("2d");

function sizeOf(name, asked) {
  const body = getComputedStyle(document.body);
  pencil.font = `${asked ? 700 : 400} ${asked ? 15 : 13}px ${body.fontFamily}`;
  return { width: pencil.measureText(name).width, height: asked ? 17 : 15 };
}

/** Where a name can stand: around its point, the nearer and the righter the better. */
function places(point, size) {
  const near = point.asked ? 12 : 8;
  const [x, y] = point.here;
  const found = [];
  for (const gap of [near, near + 14, near + 30]) {
    for (const [right, below] of DIRECTIONS) {
      const aside = right && below ? 0.7 * gap : gap;
      found.push({
        x: x + right * aside - ((1 - right) / 2) * size.width,
        y: y + below * aside - ((1 - below) / 2) * size.height,
        cost: gap === near ? found.length : 30 + gap,
        far: gap > near,
        ...size,
      });
    }
  }
  return found;
}

function overlap(one, other) {
  const width = Math.min(one.x + one.width, other.x + other.width) - Math.max(one.x, other.x);
  const height = Math.min(one.y + one.height, other.y + other.height) - Math.max(one.y, other.y);
  return width > 0 && height > 0 ? width * height : 0;
}

function outside(place, width, height) {
  const x = Math.max(0, -place.x) + Math.max(0, place.x + place.width - width);
  const y = Math.max(0, -place.y) + Math.max(0, place.y + place.height - height);
  return 40 * (x + y);
}

/** The points in pixels, as large as the drawing allows at both ends of the path. */
function fitted(points, width, height) {
  const all = points.flatMap((point) => [point.start, point.end]);
  const [left, right] = [0, 1].map((end) => Math[end ? "max" : "min"](...all.map(([x]) => x)));
  const [low, high] = [0, 1].map((end) => Math[end ? "max" : "min"](...all.map(([, y]) => y)));
  const scale = Math.min(
    (width - 2 * MARGIN.side) / Math.max(right - left, 1e-6),
    (height - 2 * MARGIN.top) / Math.max(high - low, 1e-6),
  );
  const pixel = ([x, y]) => [
    width / 2 + scale * (x - (left + right) / 2),
    height / 2 - scale * (y - (low + high) / 2),
  ];
  return points.map((point) => ({
    ...point,
    here: pixel(point.here),
    start: pixel(point.start),
    end: pixel(point.end),
    name: point.word.length > LONGEST_NAME ? `${point.word.slice(0, LONGEST_NAME - 1)}…` : point.word,
  }));
}

/** How often the moves, which are small, are enlarged to be seen. */
function gainOf(points) {
  const longest = Math.max(
    ...points.map(({ start, end }) => Math.hypot(end[0] - start[0], end[1] - start[1])),
  );
  return Math.max(1, Math.min(LARGEST_GAIN, Math.round(LONGEST_TRAIL / Math.max(longest, 1e-6))));
}

function trail({ here, start }, gain) {
  const from = [0, 1].map((axis) => here[axis] - gain * (here[axis] - start[axis]));
  const length = Math.hypot(here[0] - from[0], here[1] - from[1]);
  return shape("path", { class: "trail", d: length > 3 ? `M${from.join(" ")}L${here.join(" ")}` : "" });
}

/** A line from a point to a name that had to stand further away. */
function leader({ here: [x, y], label }) {
  const nearX = Math.min(Math.max(x, label.x), label.x + label.width);
  const nearY = Math.min(Math.max(y, label.y + 3), label.y + label.height - 3);
  return shape("path", { class: "leader", d: `M${x} ${y}L${nearX} ${nearY}` });
}

/** Draws a map and remembers where names stood, so that they do not jump while words move. */
export class NeighbourhoodMap {
  constructor(svg, nameOfSide) {
    this.svg = svg;
    this.nameOfSide = nameOfSide;
    this.data = null;
    this.chosen = new Map();
    new ResizeObserver(() => this.data && this.draw(this.data)).observe(svg);
  }

  draw(data) {
    if (this.data === null || this.data.word !== data.word || this.data.side !== data.side) {
      this.chosen.clear();
    }
    this.data = data;
    const width = Math.max(260, this.svg.clientWidth);
    const height = Math.max(280, Math.min(440, Math.round(0.72 * width)));
    this.svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    this.svg.style.height = `${height}px`;
    const points = fitted(data.points, width, height);
    this.place(points, width, height);
    const gain = gainOf(points);
    const drawn = points.map((point) => this.point(point));
    this.svg.replaceChildren(
      shape("g", { "aria-hidden": "true" }, ...points.map((point) => trail(point, gain))),
      ...drawn.reverse(),
    );
    return gain;
  }

  place(points, width, height) {
    const marks = points.map(({ here: [x, y] }) => ({ x: x - 6, y: y - 6, width: 12, height: 12 }));
    const taken = [];
    for (const point of points) {
      const options = places(point, sizeOf(point.name, point.asked));
      const key = `${point.side} ${point.word}`;
      const costs = options.map((place, number) => {
        const crowd = [...marks, ...taken].reduce((sum, box) => sum + overlap(place, box), 0);
        const kept = this.chosen.get(key) === number ? -25 : 0;
        return 2 * crowd + outside(place, width, height) + place.cost + kept;
      });
      const best = costs.indexOf(Math.min(...costs));
      this.chosen.set(key, best);
      point.label = options[best];
      taken.push(options[best]);
    }
  }

  point(point) {
    const { here: [x, y], label } = point;
    const size = point.asked ? 7.5 : 5;
    const mark =
      point.side === "source"
        ? shape("circle", { class: "point-source", cx: x, cy: y, r: size })
        : shape("path", {
            class: "point-target",
            d: `M${x} ${y - size - 1}l${size + 1} ${size + 1}-${size + 1} ${size + 1}-${size + 1}-${size + 1}z`,
          });
    const ring = point.asked ? shape("circle", { class: "ring", cx: x, cy: y, r: size + 4 }) : null;
    const text = shape(
      "text",
      { x: label.x, y: label.y + label.height - 4, class: point.asked ? "asked" : null },
      point.name,
    );
    return shape(
      "a",
      {
        href: addressOf(point.word, point.side),
        class: `place ${point.side}`,
        "aria-label": `${point.word}, ${this.nameOfSide(point.side)}`,
      },
      shape("title", {}, `${point.word}, ${this.nameOfSide(point.side)}`),
      shape("rect", {
        class: "reach",
        x: Math.min(x - REACH, label.x),
        y: Math.min(y - REACH, label.y),
        width: Math.max(x + REACH, label.x + label.width) - Math.min(x - REACH, label.x),
        height: Math.max(y + REACH, label.y + label.height) - Math.min(y - REACH, label.y),
      }),
      label.far ? leader(point) : null,
      ring,
      mark,
      text,
    );
  }
}
