import { crc32, deflateSync } from 'node:zlib';

/** The pictures of the examples are drawn here, so that none has to be trusted as a file. */

/** @typedef {readonly [red: number, green: number, blue: number]} Colour */
/** @typedef {(x: number, y: number) => Colour | undefined} Drawing What is at a point; nothing is transparent. */

/** Each pixel is looked at in 4 × 4 places, which smooths the edges. */
const SAMPLES = 4;

/**
 * @param {number} width
 * @param {number} height
 * @param {Drawing} drawing
 * @returns {Buffer}
 */
function png(width, height, drawing) {
  const lines = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      lines.set(pixel(x, y, drawing), y * (1 + width * 4) + 1 + x * 4);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8); // eight bits each of red, green, blue and alpha
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(lines, { level: 9 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/**
 * @param {number} x
 * @param {number} y
 * @param {Drawing} drawing
 * @returns {number[]}
 */
function pixel(x, y, drawing) {
  const sum = [0, 0, 0];
  let hits = 0;
  for (let i = 0; i < SAMPLES * SAMPLES; i++) {
    const colour = drawing(
      x + ((i % SAMPLES) + 0.5) / SAMPLES,
      y + (Math.floor(i / SAMPLES) + 0.5) / SAMPLES,
    );
    if (colour === undefined) continue;
    hits++;
    for (const [n, value] of colour.entries()) sum[n] = (sum[n] ?? 0) + value;
  }
  if (hits === 0) return [0, 0, 0, 0];
  return [...sum.map((value) => value / hits), (255 * hits) / (SAMPLES * SAMPLES)].map(Math.round);
}

/**
 * @param {string} type
 * @param {Buffer} data
 * @returns {Buffer}
 */
function chunk(type, data) {
  const named = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** @type {Colour} */
const TEAL = [31, 92, 102];
/** @type {Colour} */
const WHITE = [255, 255, 255];
/** @type {Colour} */
const INK = [28, 43, 94];

/** A mill wheel on a tile with round corners. */
export function logo(size = 240) {
  const [middle, corner] = [size / 2, size * 0.2];
  return png(size, size, (x, y) => {
    const [dx, dy] = [x - middle, y - middle];
    const beyond = [Math.abs(dx), Math.abs(dy)].map((d) => Math.max(0, d - middle + corner));
    if (Math.hypot(...beyond) > corner) return undefined;
    const radius = Math.hypot(dx, dy) / size;
    // Eight paddles, 45 degrees apart: how far the point is from the nearest one's middle line.
    const turn = Math.atan2(dy, dx) / (Math.PI / 4);
    const aside = radius * Math.sin(Math.abs(turn - Math.round(turn)) * (Math.PI / 4));
    const rim = radius > 0.225 && radius < 0.275;
    const paddle = aside < 0.026 && radius > 0.1 && radius < 0.37;
    const hub = radius < 0.09 && radius > 0.045;
    return rim || paddle || hub ? WHITE : TEAL;
  });
}

/** Points that a pen went through, stroke by stroke. */
const STROKES = [
  '32,34 26,78 20,122 32,74 58,34 80,34 74,60 42,78 70,96 92,118 108,106 118,92 126,96 120,114 132,112 144,84 158,36 154,76 152,114 166,110 194,88 232,78',
  '245,120 277,84 307,30 313,22 309,66 307,118 313,126 325,104',
  '267,92 297,84 327,80 337,92 331,112 341,118 355,96 365,92 363,116 375,112 383,92 393,92 391,116 403,112 415,92 421,96 419,114 431,112',
].map((stroke) => stroke.split(' ').map((point) => point.split(',').map(Number)));

/** A signature in blue ink; it thins out as the pen moves faster. */
export function signature() {
  const [width, height] = [480, 150];
  // Where there is ink, by sample: to ask every dot for every sample took a minute.
  const inked = new Set();
  const at = (/** @type {number} */ column, /** @type {number} */ line) =>
    line * width * SAMPLES + column;
  for (const [x, y, radius] of STROKES.flatMap((stroke) => curve(stroke)))
    for (let line = Math.floor((y - radius) * SAMPLES); line <= (y + radius) * SAMPLES; line++)
      for (
        let column = Math.floor((x - radius) * SAMPLES);
        column <= (x + radius) * SAMPLES;
        column++
      )
        if (Math.hypot((column + 0.5) / SAMPLES - x, (line + 0.5) / SAMPLES - y) < radius)
          inked.add(at(column, line));
  return png(width, height, (x, y) =>
    inked.has(at(Math.floor(x * SAMPLES), Math.floor(y * SAMPLES))) ? INK : undefined,
  );
}

/**
 * A smooth line through the points, as dots close to each other (Catmull and Rom's spline).
 * @param {readonly (readonly number[])[]} points
 * @returns {[x: number, y: number, radius: number][]}
 */
function curve(points) {
  /** @type {[number, number, number][]} */
  const dots = [];
  const at = (/** @type {number} */ n) => points[Math.min(Math.max(n, 0), points.length - 1)] ?? [];
  for (let n = 0; n + 1 < points.length; n++) {
    const [a, b, c, d] = [at(n - 1), at(n), at(n + 1), at(n + 2)];
    const length = Math.hypot((c[0] ?? 0) - (b[0] ?? 0), (c[1] ?? 0) - (b[1] ?? 0));
    for (let step = 0; step <= length; step++) {
      const t = step / length;
      const between = (/** @type {number} */ axis) => {
        const [p, q, r, s] = [a, b, c, d].map((point) => point[axis] ?? 0);
        const [from, to] = [((r ?? 0) - (p ?? 0)) / 2, ((s ?? 0) - (q ?? 0)) / 2];
        return (
          (2 * t ** 3 - 3 * t ** 2 + 1) * (q ?? 0) +
          (t ** 3 - 2 * t ** 2 + t) * from +
          (3 * t ** 2 - 2 * t ** 3) * (r ?? 0) +
          (t ** 3 - t ** 2) * to
        );
      };
      dots.push([between(0), between(1), 2.6 - Math.min(length, 50) / 40]);
    }
  }
  return dots;
}
