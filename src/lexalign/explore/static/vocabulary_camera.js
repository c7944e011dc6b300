// What part of the plane is seen: its centre, and how many pixels one unit has.

const MARGIN = 24;
const LARGEST_ZOOM = 64;
const FLIGHT = 350;

export class Camera {
  constructor(words, onChange) {
    this.onChange = onChange;
    this.width = this.height = 1;
    this.left = this.top = 1;
    this.right = this.bottom = 0;
    for (let index = 0; index < words.count; index += 1) {
      this.left = Math.min(this.left, words.x[index]);
      this.right = Math.max(this.right, words.x[index]);
      this.top = Math.min(this.top, words.y[index]);
      this.bottom = Math.max(this.bottom, words.y[index]);
    }
    this.flight = null;
    this.wholeScale = this.scale = 1;
    this.x = (this.left + this.right) / 2;
    this.y = (this.top + this.bottom) / 2;
  }

  get zoom() {
    return this.scale / this.wholeScale;
  }

  resize(width, height) {
    const { zoom } = this;
    this.width = width;
    this.height = height;
    this.wholeScale = Math.min(
      (width - 2 * MARGIN) / Math.max(this.right - this.left, 1e-4),
      (height - 2 * MARGIN) / Math.max(this.bottom - this.top, 1e-4),
    );
    this.scale = zoom * this.wholeScale;
    this.onChange();
  }

  screen(x, y) {
    return [this.width / 2 + (x - this.x) * this.scale, this.height / 2 + (y - this.y) * this.scale];
  }

  world(left, top) {
    return [this.x + (left - this.width / 2) / this.scale, this.y + (top - this.height / 2) / this.scale];
  }

  /** The corners of what is seen, as a polygon. */
  corners() {
    const { width, height } = this;
    return [[0, 0], [width, 0], [width, height], [0, height]].map(([x, y]) => this.world(x, y));
  }

  move(x, y, scale = this.scale) {
    this.scale = Math.min(LARGEST_ZOOM * this.wholeScale, Math.max(0.8 * this.wholeScale, scale));
    this.x = Math.min(this.right, Math.max(this.left, x));
    this.y = Math.min(this.bottom, Math.max(this.top, y));
    this.onChange();
  }

  panBy(left, top) {
    this.land();
    this.move(this.x - left / this.scale, this.y - top / this.scale);
  }

  /** Zooms so that what is under a pixel stays there. */
  zoomAt(factor, left = this.width / 2, top = this.height / 2) {
    this.land();
    const [x, y] = this.world(left, top);
    const scale = Math.min(
      LARGEST_ZOOM * this.wholeScale, Math.max(0.8 * this.wholeScale, factor * this.scale));
    this.move(x - (left - this.width / 2) / scale, y - (top - this.height / 2) / scale, scale);
  }

  showAll() {
    this.flyTo((this.left + this.right) / 2, (this.top + this.bottom) / 2, 1);
  }

  /** Goes to a place, at once if less motion is preferred. */
  flyTo(x, y, zoom) {
    this.land();
    const scale = zoom * this.wholeScale;
    if (matchMedia("(prefers-reduced-motion: reduce)").matches) return this.move(x, y, scale);
    const from = { x: this.x, y: this.y, scale: this.scale };
    const began = performance.now();
    const step = (now) => {
      const time = Math.min(1, Math.max(0, (now - began) / FLIGHT));
      const share = 1 - (1 - time) ** 3;
      this.move(
        from.x + share * (x - from.x),
        from.y + share * (y - from.y),
        from.scale * (scale / from.scale) ** share,
      );
      this.flight = time < 1 ? requestAnimationFrame(step) : null;
    };
    this.flight = requestAnimationFrame(step);
    return undefined;
  }

  land() {
    if (this.flight !== null) cancelAnimationFrame(this.flight);
    this.flight = null;
  }
}
