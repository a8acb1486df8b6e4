import type { Session, Statement } from '../database.ts';
import type { Message } from '../service.ts';

export const CHANNEL = 'millrace';

/** Postgres takes up to 7,999 bytes, whatever encoding it keeps them in. */
const LIMIT_BYTES = 7_500;

const NOTIFY: Statement = { name: 'millrace_notify', text: `SELECT pg_notify('${CHANNEL}', $1)` };

export function encode(message: Message): string {
  const text = JSON.stringify(message);
  return Buffer.byteLength(text) <= LIMIT_BYTES ? text : JSON.stringify(inShort(message));
}

/** A message beyond the limit is sent without its ids: everyone looks for themselves. */
function inShort(message: Message): Message {
  return message.type === 'changed'
    ? { type: 'changed', jobs: [], more: true }
    : { type: 'control' };
}

export function readyHint(kinds: Iterable<string>): string {
  return encode({ type: 'ready', kinds: [...new Set(kinds)] });
}

/** Null for what is not ours: anyone who may connect may notify. */
export function decode(text: string): Message | null {
  try {
    const message: unknown = JSON.parse(text);
    return isMessage(message) ? message : null;
  } catch {
    return null;
  }
}

function isMessage(value: unknown): value is Message {
  if (!isObject(value)) return false;
  const { type, kinds, leases, jobs, more } = value;
  switch (type) {
    case 'ready':
      return isListOf(kinds, isText);
    case 'cancel':
      return isListOf(leases, isLease);
    case 'changed':
      return isListOf(jobs, isText) && typeof more === 'boolean';
    case 'control':
    case 'interest':
      return true;
    default:
      return false;
  }
}

/** Every part that any message has, as yet unread. */
type Unread = Record<
  'type' | 'kinds' | 'leases' | 'jobs' | 'more' | 'id' | 'epoch' | 'claim',
  unknown
>;

function isObject(value: unknown): value is Unread {
  return typeof value === 'object' && value !== null;
}

function isListOf(value: unknown, isPart: (part: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isPart);
}

function isLease(value: unknown): boolean {
  return (
    isObject(value) &&
    isText(value.id) &&
    typeof value.epoch === 'number' &&
    typeof value.claim === 'number'
  );
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

export async function notify(session: Session, message: string): Promise<void> {
  await session.query(NOTIFY, [message]);
}
