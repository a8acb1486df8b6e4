import { ApiError } from '../errors.ts';

/** Salesforce shows the place: an excerpt with a caret, then row and column, then what is wrong. */
export function queryError(
  errorCode: string,
  source: string,
  at: number,
  reason: string,
): ApiError {
  const before = source.slice(0, at).split('\n');
  const row = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  const line = source.split('\n')[row - 1] ?? '';
  const start = Math.max(0, column - 1 - BEFORE);
  const excerpt = line.slice(start, column - 1 + AFTER);
  const caret = `${' '.repeat(column - 1 - start)}^`;
  return new ApiError(
    errorCode,
    `\n${excerpt}\n${caret}\nERROR at Row:${row}:Column:${column}\n${reason}`,
  );
}

/** Letters of the line that the excerpt shows on either side. */
const BEFORE = 60;
const AFTER = 40;

export function malformed(source: string, at: number, reason: string): ApiError {
  return queryError('MALFORMED_QUERY', source, at, reason);
}
