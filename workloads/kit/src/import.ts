import type { Session, Statement } from '@millrace/store-postgres';
import type { z } from 'zod';

/** Takes over things that another system kept until now, for `millrace import`. Every step may be repeated. */
export interface Importer<Config> {
  /**
   * In the transaction of the whole file. Throws a `ZodError` for a line that is not as the schema says, and `ImportRefused` for one that
   * does not fit the settings.
   */
  add(session: Session, line: unknown, config: Config): Promise<Imported>;
}

export type Imported =
  /** `there`: an earlier import has added it. `as`: its id or name here. */
  | { readonly outcome: 'added' | 'there'; readonly as: string }
  /** It would be removed at once: its retention is over. */
  | { readonly outcome: 'expired' };

export class ImportRefused extends Error {
  override readonly name = 'ImportRefused';
}

export function importer<Line, Config>(
  schema: z.ZodType<Line>,
  add: (session: Session, line: Line, config: Config) => Promise<Imported>,
): Importer<Config> {
  return { add: async (session, line, config) => add(session, schema.parse(line), config) };
}

// $1 moment $2 keep, ms
const EXPIRED: Statement = {
  name: 'import_expired',
  text: `SELECT $1::text::timestamptz < millrace.clock() - $2::float8 * interval '1 millisecond' AS expired`,
};

/** Whether what ended then is over its retention, by the database's clock. */
export async function isExpired(
  session: Session,
  endedAt: string,
  keepMs: number,
): Promise<boolean> {
  const [row] = await session.query<{ expired: boolean }>(EXPIRED, [endedAt, keepMs]);
  return row?.expired === true;
}
