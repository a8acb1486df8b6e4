import type { Hint } from '@millrace/engine';
import type { Session, Statement } from '../database.ts';

export const CHANNEL = 'millrace';

/** Postgres takes up to 7,999 bytes, whatever encoding it keeps them in. */
const LIMIT_BYTES = 7_500;

const NOTIFY: Statement = { name: 'millrace_notify', text: `SELECT pg_notify('${CHANNEL}', $1)` };

export function encodeHint(hint: Hint): string {
  const text = JSON.stringify(hint);
  return Buffer.byteLength(text) <= LIMIT_BYTES ? text : JSON.stringify(inShort(hint));
}

/** Beyond the limit everyone looks for themselves. An announcement keeps its mark: it is a place in an order. */
function inShort(hint: Hint): Hint {
  return hint.type === 'changed'
    ? { type: 'changed', mark: hint.mark, jobs: [], more: true }
    : { type: 'control' };
}

export function readyHint(kinds: Iterable<string>): string {
  return encodeHint({ type: 'ready', kinds: [...new Set(kinds)] });
}

/** Null for what is not ours: anyone who may connect may notify. */
export function decodeHint(message: string): Hint | null {
  try {
    const hint: unknown = JSON.parse(message);
    return isHint(hint) ? hint : null;
  } catch {
    return null;
  }
}

function isHint(value: unknown): value is Hint {
  if (!isObject(value)) return false;
  const { type, kinds, leases, mark, jobs, more } = value;
  switch (type) {
    case 'ready':
      return isListOf(kinds, isText);
    case 'cancel':
      return isListOf(leases, isLease);
    case 'changed':
      return isText(mark) && isListOf(jobs, isText) && typeof more === 'boolean';
    case 'control':
    case 'interest':
      return true;
    default:
      return false;
  }
}

/** Every part that any hint has, as yet unread. */
type Unread = Record<
  'type' | 'kinds' | 'leases' | 'mark' | 'jobs' | 'more' | 'id' | 'epoch',
  unknown
>;

function isObject(value: unknown): value is Unread {
  return typeof value === 'object' && value !== null;
}

function isListOf(value: unknown, isPart: (part: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isPart);
}

function isLease(value: unknown): boolean {
  return isObject(value) && isText(value.id) && typeof value.epoch === 'number';
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export async function notify(session: Session, hint: string): Promise<void> {
  await session.query(NOTIFY, [hint]);
}
