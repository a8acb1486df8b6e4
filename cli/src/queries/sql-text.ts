import type { Context } from '../context.ts';
import { openInput, readAll } from '../input.ts';
import { UsageError } from '../line/usage-error.ts';

/** SQL as it was typed, or from a file; `-` reads standard input. */
export async function sqlText(
  context: Context,
  typed: string | undefined,
  file: string | undefined,
): Promise<string> {
  if (typed !== undefined && file !== undefined)
    throw new UsageError('Give either the SQL or --file.');
  const text = typed ?? (await readAll(await openInput(context, file)));
  const sql = text.replace(/^\uFEFF/, '');
  if (sql.trim() === '') throw new UsageError('The SQL is empty.');
  return sql;
}
