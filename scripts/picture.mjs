// node scripts/picture.mjs: draws docs/architecture.svg from the tree: the packages, what each is and what it
// imports. A test says when the picture is out of date.

import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { layersOf } from './layers.mjs';

/** @typedef {import('./layers.mjs').Place} Place */
/** @typedef {{ name: string, description: string, dependencies?: Record<string, string> }} PackageJson */
/** @typedef {{ x: number, y: number, width: number, height: number, folder: string, what: string }} Box */

const WIDTH = 880; // at the least; the README shows it at about 800, where letters of 13 become 12 pixels
const MOST_BOXES = 5;
const MARGIN = 16;
const GAP = 10;
const PASSAGE = 4;
const BETWEEN_ROWS = 48;
const LINE = 16;
// The mean width of a letter of a name and of a description, in the widest of the fonts below.
const NAME_LETTER = 7.4;
const LETTER = 6.9;

/** @param {string} root */
export function drawArchitecture(root) {
  const { packages, uses } = packagesOf(root);
  const rows = layersOf(uses, MOST_BOXES);
  const besides = besideOf(root, [...packages.keys()]);
  const beside = [...besides.keys()].map((key) => ({ key, box: true, below: [] }));

  const width = Math.max(WIDTH, ...[...rows, beside].map(leastWidthOf));
  const inside = placed(rows, packages, width, 92);
  const line = bottomOf(inside) + 44;
  const outside = placed([beside], besides, width, line + 14);
  return svg(width, bottomOf(outside) + MARGIN, [
    text(MARGIN, 36, 'title', 'Architecture'),
    text(
      MARGIN,
      58,
      'what',
      'Imports point downwards only. An arrow is left out where another way leads to the same',
    ),
    text(MARGIN, 74, 'what', 'package. Drawn from the tree: node scripts/picture.mjs'),
    ...arrowsOf(rows, inside),
    ...inside.flatMap((row) => row.flatMap(boxOf)),
    text(MARGIN, line, 'what', 'Beside the packages'),
    ...outside.flatMap((row) => row.flatMap(boxOf)),
  ]);
}

/** The workspaces by their folder, and the folders that each imports. @param {string} root */
function packagesOf(root) {
  const { workspaces } = /** @type {{ workspaces: string[] }} */ (
    readJson(join(root, 'package.json'))
  );
  const found = workspaces.map((folder) => ({
    folder,
    .../** @type {PackageJson} */ (readJson(join(root, folder, 'package.json'))),
  }));
  const folderOf = new Map(found.map(({ name, folder }) => [name, folder]));
  return {
    packages: new Map(found.map(({ folder, description }) => [folder, description])),
    uses: new Map(
      found.map(({ folder, dependencies = {} }) => [
        folder,
        Object.keys(dependencies).flatMap((name) => folderOf.get(name) ?? []),
      ]),
    ),
  };
}

/**
 * The folders of the root that are no packages and say what they are.
 *
 * @param {string} root
 * @param {readonly string[]} packages
 */
function besideOf(root, packages) {
  const folders = readdirSync(root, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => !packages.some((folder) => folder.split('/')[0] === name))
    .filter((name) => existsSync(join(root, name, 'README.md')))
    .toSorted();
  return new Map(folders.map((folder) => [folder, saidIn(root, folder)]));
}

/** A folder's description, the title of its README or, where that is only its name, the first sentence. @type {(root: string, folder: string) => string} */
function saidIn(root, folder) {
  const description = join(root, folder, 'package.json');
  if (existsSync(description))
    return /** @type {PackageJson} */ (readJson(description)).description;
  const readme = readFileSync(join(root, folder, 'README.md'), 'utf8');
  const [heading = '', first = ''] = readme.split(/\n\n+/);
  const title = heading.replace(/^# /, '');
  return title === folder ? (/^[^.]*/.exec(first.replaceAll('\n', ' '))?.[0] ?? '') : title;
}

/** @type {(file: string) => unknown} */
function readJson(file) {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @type {(place: Place) => number} */
function leastOf({ key, box }) {
  return box ? 26 + NAME_LETTER * Math.max(key.length, 10) : PASSAGE;
}

/** @type {(row: Place[]) => number} */
function leastWidthOf(row) {
  const places = row.reduce((sum, place) => sum + leastOf(place), 0);
  return Math.ceil(2 * MARGIN + places + GAP * (row.length - 1));
}

/**
 * Each row from edge to edge: a box is as wide as its name, and the boxes share what is left.
 *
 * @param {Place[][]} rows
 * @param {ReadonlyMap<string, string>} what
 * @param {number} full
 * @param {number} top
 * @returns {Box[][]}
 */
function placed(rows, what, full, top) {
  let y = top;
  return rows.map((row) => {
    const more = (full - leastWidthOf(row)) / row.filter(({ box }) => box).length;
    let x = MARGIN;
    const drawn = row.map((place) => {
      const { key, box } = place;
      const left = x;
      const width = leastOf(place) + (box ? more : 0);
      x += width + GAP;
      return { x: left, y, width, height: 0, folder: box ? key : '', what: what.get(key) ?? '' };
    });
    const lines = Math.max(...drawn.map((box) => linesOf(box).length));
    const height = 40 + LINE * lines;
    y += height + BETWEEN_ROWS;
    return drawn.map((box) => ({ ...box, height }));
  });
}

/** @param {Box[][]} rows */
function bottomOf(rows) {
  return Math.max(...rows.flat().map(({ y, height }) => y + height));
}

/**
 * One line for each import, from the lower edge of a box or a passage to the upper edge of what is below it.
 *
 * @param {Place[][]} rows
 * @param {Box[][]} drawn
 */
function arrowsOf(rows, drawn) {
  return rows.flatMap((row, at) => {
    const lines = row.flatMap((place, from) =>
      place.below.map((key) => ({
        from,
        to: (rows[at + 1] ?? []).findIndex((next) => next.key === key),
      })),
    );
    const passing = row.flatMap((place, from) => {
      const box = drawn[at]?.[from];
      return place.box || box === undefined
        ? []
        : path(centre(box), box.y, centre(box), box.y + box.height, '');
    });
    const drawnLines = lines.flatMap(({ from, to }) => {
      const upper = drawn[at]?.[from];
      const lower = drawn[at + 1]?.[to];
      if (upper === undefined || lower === undefined) return [];
      // Lines of one box leave it side by side, in the order in which they arrive, so that none crosses its neighbour.
      const leaving = lines.filter((line) => line.from === from).toSorted((a, b) => a.to - b.to);
      const arriving = lines.filter((line) => line.to === to).toSorted((a, b) => a.from - b.from);
      const x1 = portOf(
        upper,
        leaving.findIndex((line) => line.to === to),
        leaving.length,
      );
      const x2 = portOf(
        lower,
        arriving.findIndex((line) => line.from === from),
        arriving.length,
      );
      const ends = lower.folder !== '';
      return path(
        x1,
        upper.y + upper.height,
        x2,
        lower.y - (ends ? 2 : 0),
        ends ? ' marker-end="url(#head)"' : '',
      );
    });
    return [...passing, ...drawnLines];
  });
}

/** @type {(box: Box) => number} */
function centre({ x, width }) {
  return Math.round(x + width / 2);
}

/** @type {(box: Box, at: number, of: number) => number} */
function portOf({ x, width }, at, of) {
  return Math.round(x + (width * (at + 1)) / (of + 1));
}

/** @type {(x1: number, y1: number, x2: number, y2: number, end: string) => string} */
function path(x1, y1, x2, y2, end) {
  const half = (y1 + y2) / 2;
  return `<path class="line" d="M${x1} ${y1}C${x1} ${half} ${x2} ${half} ${x2} ${y2}"${end}/>`;
}

/** @param {Box} box */
function boxOf(box) {
  const { x, y, width, height, folder } = box;
  if (folder === '') return [];
  const size = `width="${Math.round(width)}" height="${height}" rx="6"`;
  return [
    `<rect class="${folder.split('/')[0]}" x="${Math.round(x)}" y="${y}" ${size}/>`,
    text(Math.round(x) + 12, y + 24, 'name', `${folder}/`),
    ...linesOf(box).map((line, at) => text(Math.round(x) + 12, y + 44 + LINE * at, 'what', line)),
  ];
}

/** @param {Box} box */
function linesOf({ what, width }) {
  const most = Math.floor((width - 20) / LETTER);
  /** @type {string[]} */
  const lines = [];
  for (const word of what.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < most)
      lines.splice(-1, 1, `${last} ${word}`);
    else lines.push(word);
  }
  return lines;
}

/** @type {(x: number, y: number, style: string, words: string) => string} */
function text(x, y, style, words) {
  const escaped = words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<text class="${style}" x="${x}" y="${y}">${escaped}</text>`;
}

/** @type {(width: number, height: number, parts: readonly string[]) => string} */
function svg(width, height, parts) {
  const fonts = "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="${fonts}" role="img" aria-label="The packages of Millrace in rows; each imports only packages of rows below its own.">
<style>
rect { fill: #f4f6f8; stroke: #9fb3c8; } .page { fill: #ffffff; stroke: none; }
.title { font-size: 20px; font-weight: 600; } .name { font-size: 13.5px; font-weight: 600; } .what { font-size: 13px; }
.title, .name { fill: #102a3c; } .what { fill: #45596b; } .line { fill: none; stroke: #7b93a8; stroke-width: 1.4; } .head { fill: #7b93a8; }
.engine { fill: #dcecf7; stroke: #2f80b5; } .stores { fill: #e3f1ea; stroke: #4d9a75; } .workloads { fill: #fbf1dd; stroke: #c29b3f; }
.connectors { fill: #efe9f7; stroke: #8a73b5; } .simulators { fill: #f9e9e9; stroke: #bb7a7a; }
@media (prefers-color-scheme: dark) {
rect { fill: #1b232d; stroke: #4a5d70; } .page { fill: #0d1117; }
.title, .name { fill: #e6edf3; } .what { fill: #b3c0cc; } .line { stroke: #74899c; } .head { fill: #74899c; }
.engine { fill: #12314a; stroke: #3f8fc4; } .stores { fill: #14322a; stroke: #4d9a75; } .workloads { fill: #352a12; stroke: #b08c3a; }
.connectors { fill: #292240; stroke: #8a73b5; } .simulators { fill: #3a2022; stroke: #b06e6e; }
}
</style>
<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="head" d="M0 0L8 4L0 8z"/></marker></defs>
<rect class="page" width="${width}" height="${height}"/>
${parts.join('\n')}
</svg>
`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = join(import.meta.dirname, '..');
  writeFileSync(join(root, 'docs/architecture.svg'), drawArchitecture(root));
}
