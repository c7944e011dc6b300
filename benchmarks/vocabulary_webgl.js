// The points drawn by WebGL, to compare: it takes the place of vocabulary_points.js while
// benchmarks/vocabulary_map.py measures.

export const radiusAt = ({ zoom }) => Math.min(5, 1.5 + 0.55 * Math.log2(Math.max(1, zoom)));
const opacityAt = ({ zoom }) => Math.min(0.95, 0.62 + 0.07 * Math.log2(Math.max(1, zoom)));

const VERTEX = `
attribute vec3 word;
uniform vec4 view;
uniform float size;
varying float side;
void main() {
  side = word.z;
  gl_Position = vec4((word.xy - view.xy) * view.zw, 0.0, 1.0);
  gl_PointSize = size;
}`;
const FRAGMENT = `
precision highp float;
uniform vec3 source;
uniform vec3 target;
uniform float opacity;
uniform float size;
uniform float radius;
varying float side;
void main() {
  vec2 place = (gl_PointCoord - 0.5) * size;
  float round = length(place) - radius;
  float pointed = (abs(place.x) + abs(place.y) - 1.3 * radius) / 1.414;
  float share = clamp(0.5 - (side < 0.5 ? round : pointed), 0.0, 1.0) * opacity;
  gl_FragColor = vec4((side < 0.5 ? source : target) * share, share);
}`;

function compiled(gl, kind, text) {
  const shader = gl.createShader(kind);
  gl.shaderSource(shader, text);
  gl.compileShader(shader);
  return shader;
}

export class Points {
  constructor(canvas, words) {
    this.canvas = canvas;
    this.words = words;
    this.gl = canvas.getContext("webgl", { alpha: false, antialias: false });
    this.setUp();
  }

  setUp() {
    const { gl, words } = this;
    const program = gl.createProgram();
    gl.attachShader(program, compiled(gl, gl.VERTEX_SHADER, VERTEX));
    gl.attachShader(program, compiled(gl, gl.FRAGMENT_SHADER, FRAGMENT));
    gl.bindAttribLocation(program, 0, "word");
    gl.linkProgram(program);
    gl.useProgram(program);
    const values = new Float32Array(3 * words.count);
    for (let index = 0; index < words.count; index += 1) {
      const place = words.count - 1 - index;
      values.set([words.x[index], words.y[index], words.side[index]], 3 * place);
    }
    gl.bindBuffer(gl.ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    this.place = (name) => gl.getUniformLocation(program, name);
  }

  resize(width, height, ratio) {
    this.ratio = ratio;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.gl.viewport(0, 0, this.canvas.width, this.canvas.height);
  }

  draw(camera, colours) {
    const { gl, place } = this;
    const radius = radiusAt(camera) * this.ratio;
    const part = (colour) => colour.map((value) => value / 255);
    gl.clearColor(...part(colours.card), 1);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.uniform4f(place("view"), camera.x, camera.y,
      (2 * camera.scale) / camera.width, (-2 * camera.scale) / camera.height);
    gl.uniform1f(place("size"), 2.6 * radius + 2);
    gl.uniform1f(place("radius"), radius);
    gl.uniform1f(place("opacity"), opacityAt(camera));
    gl.uniform3fv(place("source"), part(colours.source));
    gl.uniform3fv(place("target"), part(colours.target));
    gl.drawArrays(gl.POINTS, 0, this.words.count);
  }
}
