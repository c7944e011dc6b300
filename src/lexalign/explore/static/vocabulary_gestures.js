// Mouse, fingers and keys: they move the camera, point at words, open them and draw a lasso.

const CLICK = 5;
const REACH = { mouse: 12, pen: 14, touch: 24 };
const STEP = 80;
const ZOOM_STEP = 1.5;
const LASSO_STEP = 3;

export class Gestures {
  /** `actions` are point(index or null, x, y), open(index), lasso(polygon, done) and clear(). */
  constructor(surface, words, camera, actions) {
    Object.assign(this, { surface, words, camera, actions });
    this.isLasso = false;
    this.fingers = new Map();
    this.polygon = null;
    this.moved = 0;
    this.pointed = null;
    surface.addEventListener("pointerdown", (event) => this.press(event));
    surface.addEventListener("pointermove", (event) => this.move(event));
    surface.addEventListener("pointerup", (event) => this.release(event));
    surface.addEventListener("pointercancel", (event) => this.cancel(event));
    surface.addEventListener("pointerleave", (event) => {
      if (event.pointerType !== "touch") this.point(null);  // A finger that is lifted leaves, too.
    });
    surface.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    surface.addEventListener("keydown", (event) => this.key(event));
  }

  place(event) {
    const box = this.surface.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  }

  wordAt([x, y], kind) {
    return this.words.nearest(...this.camera.world(x, y), (REACH[kind] ?? REACH.mouse) / this.camera.scale);
  }

  point(index, x = 0, y = 0) {
    this.pointed = index;
    this.actions.point(index, x, y);
  }

  press(event) {
    if (event.button !== 0) return;
    this.surface.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, this.place(event));
    if (this.fingers.size === 1) this.moved = 0;
    if (this.fingers.size === 1 && (event.shiftKey || this.isLasso)) {
      this.polygon = [this.camera.world(...this.place(event))];
    } else {
      this.polygon = null;
    }
  }

  move(event) {
    const here = this.place(event);
    const before = this.fingers.get(event.pointerId);
    if (before === undefined) {
      if (event.pointerType !== "touch") this.point(this.wordAt(here, event.pointerType), ...here);
      return;
    }
    const step = Math.hypot(here[0] - before[0], here[1] - before[1]);
    if (this.polygon !== null) {
      if (step < LASSO_STEP) return;
      this.moved += step;
      this.fingers.set(event.pointerId, here);
      this.polygon.push(this.camera.world(...here));
      this.actions.lasso(this.polygon, false);
      return;
    }
    this.moved += step;
    const [centre, spread] = this.middle();
    this.fingers.set(event.pointerId, here);
    const [newCentre, newSpread] = this.middle();
    if (this.moved < CLICK && this.fingers.size === 1) return;
    this.point(null);
    this.camera.panBy(newCentre[0] - centre[0], newCentre[1] - centre[1]);
    if (spread > 0) this.camera.zoomAt(newSpread / spread, ...newCentre);
  }

  /** The middle of all fingers, and how far two are apart. */
  middle() {
    const [one, other = one] = [...this.fingers.values()];
    return [
      [(one[0] + other[0]) / 2, (one[1] + other[1]) / 2],
      Math.hypot(one[0] - other[0], one[1] - other[1]),
    ];
  }

  release(event) {
    if (!this.fingers.has(event.pointerId)) return;
    const here = this.place(event);
    const isLast = this.fingers.size === 1;
    this.fingers.delete(event.pointerId);
    if (!isLast) {
      this.moved = Infinity;  // What is left of a pinch is no click.
      return;
    }
    const { polygon } = this;
    this.polygon = null;
    if (polygon !== null && this.moved >= CLICK) this.actions.lasso(polygon, true);
    else if (this.moved < CLICK) this.click(here, event);
  }

  /** A mouse opens a word at once; a finger first shows which one it hit. */
  click(here, event) {
    const index = this.wordAt(here, event.pointerType);
    const isShown = event.pointerType !== "touch" || index === this.pointed;
    if (index !== null && isShown) this.actions.open(index, event.ctrlKey || event.metaKey);
    else this.point(index, ...here);
  }

  cancel(event) {
    this.fingers.delete(event.pointerId);
    if (this.polygon !== null) this.actions.clear();
    this.polygon = null;
  }

  wheel(event) {
    event.preventDefault();
    const lines = event.deltaMode === 1 ? 16 : 1;
    const strength = event.ctrlKey ? 0.01 : 0.0018;
    this.point(null);
    this.camera.zoomAt(Math.exp(-strength * lines * event.deltaY), ...this.place(event));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { camera } = this;
    const moves = {
      ArrowLeft: () => camera.panBy(STEP, 0),
      ArrowRight: () => camera.panBy(-STEP, 0),
      ArrowUp: () => camera.panBy(0, STEP),
      ArrowDown: () => camera.panBy(0, -STEP),
      "+": () => camera.zoomAt(ZOOM_STEP),
      "=": () => camera.zoomAt(ZOOM_STEP),
      "-": () => camera.zoomAt(1 / ZOOM_STEP),
      "−": () => camera.zoomAt(1 / ZOOM_STEP),
      0: () => camera.showAll(),
      Enter: () => this.actions.lasso(camera.corners(), true),
      Escape: () => this.actions.clear(),
    };
    if (!(event.key in moves)) return;
    event.preventDefault();
    moves[event.key]();
  }
}
