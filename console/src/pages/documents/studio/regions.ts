import type { Box } from '../pdf/find.ts';

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Four bytes a pixel. */
  readonly data: Uint8ClampedArray;
}

/** Pixels are compared in squares of this size; a square that differs is changed as a whole. */
const SQUARE = 8;
/** Out of 255. */
const TOLERANCE = 64;
/** Squares this near to each other are one region: words of a line, lines of a paragraph. */
const REACH = 2;

/** Where two pictures of a page differ, in parts of its width and height. */
export function changedRegions(a: Pixels, b: Pixels): Box[] {
  const width = Math.max(a.width, b.width);
  const height = Math.max(a.height, b.height);
  const columns = Math.ceil(width / SQUARE);
  const rows = Math.ceil(height / SQUARE);
  const changed = new Set<number>();
  const before = greys(a, width, height);
  const after = greys(b, width, height);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = y * width + x;
      if (Math.abs((before[at] ?? 0) - (after[at] ?? 0)) <= TOLERANCE) continue;
      if (isNew(before, after, at, width) || isNew(after, before, at, width))
        changed.add(Math.floor(y / SQUARE) * columns + Math.floor(x / SQUARE));
    }
  return groups(changed, columns, rows).map(({ left, top, right, bottom }) => ({
    left: (left * SQUARE) / width,
    top: (top * SQUARE) / height,
    width: Math.min(1, ((right - left + 1) * SQUARE) / width),
    height: Math.min(1, ((bottom - top + 1) * SQUARE) / height),
  }));
}

/** In one grey each; beyond its edge a page is white. */
function greys({ width, height, data }: Pixels, toWidth: number, toHeight: number): Uint8Array {
  const all = new Uint8Array(toWidth * toHeight).fill(255);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = 4 * (y * width + x);
      const sum = (data[at] ?? 255) + (data[at + 1] ?? 255) + (data[at + 2] ?? 255);
      all[y * toWidth + x] = sum / 3;
    }
  return all;
}

/**
 * Whether nothing around the place in the other picture is as this pixel is. A letter that moved by a part of a pixel, as
 * it does from one rendering to the next, is no change.
 */
function isNew(of: Uint8Array, other: Uint8Array, at: number, width: number): boolean {
  const grey = of[at] ?? 255;
  for (let dy = -1; dy <= 1; dy++)
    for (let dx = -1; dx <= 1; dx++)
      if (Math.abs(grey - (other[at + dy * width + dx] ?? 255)) <= TOLERANCE) return false;
  return true;
}

interface Square {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

function groups(changed: Set<number>, columns: number, rows: number): Square[] {
  const found: Square[] = [];
  const open = new Set(changed);
  for (const start of changed) {
    if (!open.delete(start)) continue;
    const square = { left: columns, top: rows, right: 0, bottom: 0 };
    const waiting = [start];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const x = next % columns;
      const y = Math.floor(next / columns);
      square.left = Math.min(square.left, x);
      square.right = Math.max(square.right, x);
      square.top = Math.min(square.top, y);
      square.bottom = Math.max(square.bottom, y);
      for (let dy = -REACH; dy <= REACH; dy++)
        for (let dx = -REACH; dx <= REACH; dx++) {
          const near = (y + dy) * columns + x + dx;
          const isInside = x + dx >= 0 && x + dx < columns;
          if (isInside && open.delete(near)) waiting.push(near);
        }
    }
    found.push(square);
  }
  return found;
}
