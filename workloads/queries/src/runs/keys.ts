import type { Session, Statement } from '@millrace/store-postgres';

/**
 * Names in Marketing Cloud: the query definition and the target of a run have the same customer key (they are of different
 * types), made of the installation and the run. So an execution that was cut off finds what it has made, and a sweeper
 * knows what is ours: at most 8 + 1 + 8 + 1 + 15 + 1 of the 36 characters that a key may have.
 */
export interface Keys {
  /** What every key of this installation begins with. */
  readonly prefix: string;
  /** `asText`: of the second try. */
  keyOf(seq: number, asText: boolean): string;
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
export const TEMPORARY = 'millrace-[a-z0-9]{1,8}-[1-9]\\d{0,14}t?';

export function isTemporary(key: string): boolean {
  return new RegExp(`^${TEMPORARY}$`, 'i').test(key);
}

export function keysOf(installation: string): Keys {
  const prefix = `millrace-${installation}-`;
  const pattern = /^([1-9]\d{0,14})t?$/;
  return {
    prefix,
    keyOf: (seq, asText) => `${prefix}${seq}${asText ? 't' : ''}`,
    seqOf(key) {
      const [, digits] = (key.startsWith(prefix) && pattern.exec(key.slice(prefix.length))) || [];
      return digits === undefined ? null : Number(digits);
    },
  };
}
