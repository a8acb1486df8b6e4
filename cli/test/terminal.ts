/** What stands on the screen after a terminal was sent this text. Colours are ignored. */
export function screenOf(sent: string): string[] {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  for (const [token, , figure, command] of sent.matchAll(
    /(\p{Control}\[([?\d]*)([A-Za-z]))|[^]/gu,
  )) {
    const line = lines[row] ?? '';
    if (command === 'A') row = Math.max(row - Number(figure), 0);
    else if (command === 'K') lines[row] = line.slice(0, column);
    else if (command === 'J') lines.splice(row, Infinity, line.slice(0, column));
    else if (command !== undefined) continue;
    else if (token === '\r') column = 0;
    else if (token === '\n') {
      row += 1;
      column = 0;
      lines[row] ??= '';
    } else {
      lines[row] = line.slice(0, column).padEnd(column) + token + line.slice(column + 1);
      column += 1;
    }
  }
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}

export function cursorIsShown(sent: string): boolean {
  return sent.lastIndexOf('[?25h') >= sent.lastIndexOf('[?25l');
}
