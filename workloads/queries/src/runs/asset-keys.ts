import type { Session, Statement } from '@millrace/store-postgres';

/**
 * Names in Marketing Cloud: the query definition and the target of a run have the same customer key (they are of different
 * types), made with the run of the installation, its number and a random part, and kept in its row. So an execution that was cut off
 * finds what it has made, and a sweeper knows what is ours. The random part is for a database that was set back to an
 * earlier time: its next run has the number of one that was there before, and must not take that one's rows for its own.
 * `millrace-1a2b3c4d-1234567890-9f8e7dt` has the 36 characters that a key may have.
 */
export interface Keys {
  /** What every key of this installation begins with. */
  readonly prefix: string;
  /** Of the second try of a run. */
  textKeyOf(run: { readonly seq: number; readonly targetDeName: string | null }): string;
  /** The run whose key it may be; null for keys that are not of this installation. */
  seqOf(key: string): number | null;
}

const INSTALLATION: Statement = {
  name: 'queries_installation',
  text: 'SELECT id FROM millrace.shell_query_installation',
};

/** `installation`: as it is set; left out, the one that the database was given when it was set up. */
export async function readKeys(session: Session, installation: string | undefined): Promise<Keys> {
  const [row] = await session.query<{ id: string }>(INSTALLATION, []);
  return keysOf(installation ?? row?.id ?? 'none');
}

/** The key and the name of what the run of any installation has made. */
export const TEMPORARY = 'millrace-[a-z0-9]{1,8}-[1-9]\\d{0,14}(?:-[0-9a-f]{6})?t?';

export function isTemporary(key: string): boolean {
  return new RegExp(`^${TEMPORARY}$`, 'i').test(key);
}

export function keysOf(installation: string): Keys {
  const prefix = `millrace-${installation}-`;
  // The second try of a run that was imported has no random part.
  const pattern = /^([1-9]\d{0,14})(?:-[0-9a-f]{6})?t?$/;
  function seqOf(key: string): number | null {
    const [, digits] = (key.startsWith(prefix) && pattern.exec(key.slice(prefix.length))) || [];
    return digits === undefined ? null : Number(digits);
  }
  return {
    prefix,
    textKeyOf: ({ seq, targetDeName }) =>
      targetDeName !== null && seqOf(targetDeName) === seq
        ? `${targetDeName}t`
        : `${prefix}${seq}t`,
    seqOf,
  };
}
