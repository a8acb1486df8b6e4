// A recording as an SVG that moves by CSS alone: each line is there from its moment on, until another takes its place. Where
// nothing moves (a printed page, a viewer without animations, readers who want none) it shows the end, which is the whole.

/** @typedef {import('./terminal.mjs').Run} Run */
/** What a screen showed from a moment on, in seconds. @typedef {{ readonly at: number, readonly lines: readonly (readonly Run[])[] }} Frame */
/** A line of the picture while it was there; `to` is null for what stays. @typedef {{ readonly row: number, readonly runs: readonly Run[], readonly from: number, to: number | null }} Shown */

const CHARACTER = 8.4;
const LINE = 20;
const MARGIN = 18;
const TOP = 44;
/** Seconds in which the whole is there before it begins: what is seen first, and all of it where only that is seen. */
const LEAD = 2;
/** Seconds in which the end is read, before it begins again. */
const PAUSE = 6;
const TIMES = 2;

/** @param {readonly Frame[]} frames @param {{ columns: number, title: string }} options */
export function draw(frames, { columns, title }) {
  const shown = shownOf(frames);
  const seconds = (frames.at(-1)?.at ?? 0) + PAUSE;
  const rows = Math.max(...shown.map(({ row }) => row)) + 1;
  const width = Math.ceil(2 * MARGIN + columns * CHARACTER);
  const height = TOP + rows * LINE + MARGIN;
  const end = shown.filter(({ to }) => to === null);
  const text = end.map(({ runs }) => runs.map((run) => run.text).join(' ')).join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title text">
<title id="title">${escaped(title)}</title>
<desc id="text">${escaped(text)}</desc>
<style>
text { font: 14px ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', 'Liberation Mono', monospace; white-space: pre; fill: #0f272d; }
.window { fill: #fbfcfc; stroke: #bccac9; } .bar { fill: #e3ebeb; } .button { fill: #bccac9; }
.bold { font-weight: 700; } .dim { fill: #566a70; } .red { fill: #ad2d25; } .green { fill: #28704a; } .yellow { fill: #855300; } .cyan { fill: #0a6b7b; }
.gone { visibility: hidden; }
@media (prefers-color-scheme: dark) {
text { fill: #e3eeee; } .window { fill: #0f1c1f; stroke: #3a565c; } .bar { fill: #16272b; } .button { fill: #3a565c; }
.dim { fill: #93a9ad; } .red { fill: #f2a49c; } .green { fill: #8fd3ab; } .yellow { fill: #e8c27a; } .cyan { fill: #76c3cd; }
}
@media (prefers-reduced-motion: no-preference) {
${shown.map((line, index) => movesOf(line, index, seconds)).join('\n')}
}
</style>
<rect class="window" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
<path class="bar" d="M1 28V8.5Q1 1 8.5 1H${width - 8.5}Q${width - 1} 1 ${width - 1} 8.5V28z"/>
${[20, 38, 56].map((x) => `<circle class="button" cx="${x}" cy="14.5" r="5"/>`).join('')}
${shown.map(lineOf).join('\n')}
</svg>
`;
}

/**
 * Every line of every frame once, with the time in which it was there.
 *
 * @param {readonly Frame[]} frames
 */
function shownOf(frames) {
  /** @type {Shown[]} */
  const all = [];
  /** @type {Map<number, Shown>} */
  const now = new Map();
  for (const { at, lines } of frames) {
    for (const [row, runs] of lines.entries()) {
      const before = now.get(row);
      if (JSON.stringify(before?.runs ?? []) === JSON.stringify(runs)) continue;
      if (before !== undefined) before.to = at;
      now.delete(row);
      if (runs.length === 0) continue;
      const line = { row, runs, from: at, to: null };
      now.set(row, line);
      all.push(line);
    }
    for (const [row, line] of now) {
      if (row < lines.length) continue;
      line.to = at;
      now.delete(row);
    }
  }
  // A line that was there for no time was never seen.
  return all.filter(({ from, to }) => to === null || to > from);
}

/** @param {Shown} line @param {number} index @param {number} seconds */
function movesOf({ from, to }, index, seconds) {
  const share = (/** @type {number} */ at) => `${((at / seconds) * 100).toFixed(2)}%`;
  const steps = [
    from === 0 ? '' : '0%{visibility:hidden}',
    `${share(from)}{visibility:visible}`,
    to === null ? '100%{visibility:visible}' : `${share(to)},100%{visibility:hidden}`,
  ];
  return `#l${index}{animation:m${index} ${seconds.toFixed(2)}s step-end ${LEAD}s ${TIMES} forwards}@keyframes m${index}{${steps.join('')}}`;
}

/** @param {Shown} line @param {number} index */
function lineOf({ row, runs, to }, index) {
  const y = TOP + row * LINE + 14;
  const texts = runs.map(({ at, text, style }) => {
    const begin = at + (text.length - text.trimStart().length);
    const words = text.trimStart();
    const length = (Array.from(words).length * CHARACTER).toFixed(1);
    // The length keeps columns in line, whichever font is there.
    return `<text x="${(MARGIN + begin * CHARACTER).toFixed(1)}" y="${y}" textLength="${length}" lengthAdjust="spacingAndGlyphs"${style === '' ? '' : ` class="${style}"`}>${escaped(words)}</text>`;
  });
  return `<g id="l${index}"${to === null ? '' : ' class="gone"'}>${texts.join('')}</g>`;
}

/** @param {string} text */
function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
