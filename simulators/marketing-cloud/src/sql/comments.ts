/** A text, a name in brackets or quotes, a comment to the end of its line, or the begin of one that nests. */
const PARTS = /'(?:[^']|'')*'|\[(?:[^\]]|\]\])*\]|"(?:[^"]|"")*"|--[^\n]*|\/\*/g;

/**
 * Blanks in the place of comments: the parser hangs comments onto what is before them, in nodes of many kinds. Places stay, for its
 * errors. Comments nest, as in SQL Server; one without an end takes the rest.
 */
export function withoutComments(sql: string): string {
  let found = '';
  let from = 0;
  PARTS.lastIndex = 0;
  for (let part = PARTS.exec(sql); part !== null; part = PARTS.exec(sql)) {
    const isLine = part[0].startsWith('--');
    if (!isLine && part[0] !== '/*') continue;
    const end = isLine ? PARTS.lastIndex : endOfComment(sql, part.index);
    found += sql.slice(from, part.index) + sql.slice(part.index, end).replaceAll(/[^\r\n]/g, ' ');
    from = PARTS.lastIndex = end;
  }
  return found + sql.slice(from);
}

function endOfComment(sql: string, start: number): number {
  const marks = /\/\*|\*\//g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1;
    if (depth === 0) return marks.lastIndex;
  }
  return sql.length;
}
