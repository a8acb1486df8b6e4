// As much of a terminal as our commands need: text, colours, and lines that are drawn again in place.

/** @typedef {{ readonly text: string, readonly style: string }} Cell */

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const SEQUENCE = /\u001B\[([?\d;]*)([A-Za-z])|\u001B\][^\u0007]*\u0007|\u001B./;
/** By the number of SGR; the picture has a colour for each. */
const STYLES = new Map([
  [1, 'bold'],
  [2, 'dim'],
  [31, 'red'],
  [32, 'green'],
  [33, 'yellow'],
  [36, 'cyan'],
]);

export function createTerminal() {
  /** @type {Cell[][]} */
  const rows = [[]];
  let row = 0;
  let column = 0;
  let style = '';

  /** @param {string} text */
  function put(text) {
    for (const character of text) {
      if (character === '\n') row += 1;
      else if (character === '\r') column = 0;
      else if (character === '\b') column = Math.max(0, column - 1);
      else if (character >= ' ') {
        const line = lineAt(row);
        while (line.length < column) line.push({ text: ' ', style: '' });
        line[column] = { text: character, style };
        column += 1;
      }
      lineAt(row);
    }
  }

  /** @param {number} at */
  function lineAt(at) {
    while (rows.length <= at) rows.push([]);
    return rows[at] ?? [];
  }

  /** @param {string} parameters @param {string} command */
  function obey(parameters, command) {
    const [first = 0] = parameters.split(';').map(Number);
    const count = first || 1;
    if (command === 'm') for (const each of parameters.split(';')) paint(Number(each));
    else if (command === 'A') row = Math.max(0, row - count);
    else if (command === 'B') row += count;
    else if (command === 'C') column += count;
    else if (command === 'D') column = Math.max(0, column - count);
    else if (command === 'G') column = count - 1;
    else if (command === 'K') lineAt(row).splice(first === 0 ? column : 0);
    else if (command === 'J') {
      lineAt(row).splice(column);
      rows.splice(row + 1);
    }
    // Whether the cursor is seen, and all else, changes nothing in the picture.
  }

  /** @param {number} code */
  function paint(code) {
    style = STYLES.get(code) ?? '';
  }

  return {
    /** @param {string} text */
    write(text) {
      let rest = text;
      for (let found = SEQUENCE.exec(rest); found !== null; found = SEQUENCE.exec(rest)) {
        put(rest.slice(0, found.index));
        if (found[2] !== undefined) obey(found[1] ?? '', found[2]);
        rest = rest.slice(found.index + found[0].length);
      }
      put(rest);
    },
    /** The column is kept by terminals; a command that ends begins a line. */
    newLine() {
      if (column > 0) row += 1;
      column = 0;
      lineAt(row);
    },
    /** Each line as runs of one style, without blanks at its end. */
    lines: () => rows.map(runsOf),
  };
}

/** @typedef {{ readonly at: number, readonly text: string, readonly style: string }} Run */

/** @param {readonly Cell[]} cells @returns {Run[]} */
function runsOf(cells) {
  /** @type {{ at: number, text: string, style: string }[]} */
  const runs = [];
  for (const [at, { text, style }] of cells.entries()) {
    const last = runs.at(-1);
    if (last !== undefined && last.style === style) last.text += text;
    else runs.push({ at, text, style });
  }
  const end = runs.at(-1);
  if (end !== undefined) end.text = end.text.trimEnd();
  return runs.filter(({ text }) => text.trim() !== '');
}
