import type { Hint } from '@millrace/engine';
import type { Session, Statement } from '../database.ts';

export const CHANNEL = 'millrace';

/** Postgres takes 8,000 bytes; beyond that everyone looks for themselves. */
const LIMIT = 7_500;

const NOTIFY: Statement = { name: 'millrace_notify', text: `SELECT pg_notify('${CHANNEL}', $1)` };

export function encodeHint(hint: Hint): string {
  const text = JSON.stringify(hint);
  return text.length <= LIMIT ? text : JSON.stringify({ type: 'control' } satisfies Hint);
}

export function readyHint(kinds: Iterable<string>): string {
  return encodeHint({ type: 'ready', kinds: [...new Set(kinds)] });
}

/** Null for what is not ours. */
export function decodeHint(message: string): Hint | null {
  try {
    const hint = JSON.parse(message) as Hint;
    return ['ready', 'cancel', 'control'].includes(hint.type) ? hint : null;
  } catch {
    return null;
  }
}

export async function notify(session: Session, hint: string): Promise<void> {
  await session.query(NOTIFY, [hint]);
}
