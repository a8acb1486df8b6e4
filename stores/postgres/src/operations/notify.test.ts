import { describe, expect, it } from 'vitest';
import type { Message } from '../service.ts';
import { decode, encode } from './notify.ts';

/** What Postgres takes: fewer bytes than these. */
const BYTES = 8_000;

describe('a hint on its way', () => {
  it.each<Message>([
    { type: 'ready', kinds: ['a', '東京'] },
    { type: 'ready', kinds: [] },
    { type: 'cancel', leases: [{ id: 'pg-1', epoch: 7, claim: 9 }] },
    { type: 'control' },
    { type: 'changed', jobs: ['pg-1', 'pg-2'], more: false },
    { type: 'changed', jobs: [], more: true },
    { type: 'interest' },
  ])('comes back as it was: $type', (hint) => {
    expect(decode(encode(hint))).toEqual(hint);
  });

  it('that does not fit becomes a call to look for oneself', () => {
    const kinds = Array.from({ length: 900 }, (_, index) => `a kind ${index}`);
    expect(decode(encode({ type: 'ready', kinds }))).toEqual({ type: 'control' });
  });

  it('that does not fit says that there is more, if it is an announcement', () => {
    const jobs = Array.from({ length: 900 }, (_, index) => `pg-${100_000 + index}`);
    const short = { type: 'changed', jobs: [], more: true };
    expect(decode(encode({ type: 'changed', jobs, more: false }))).toEqual(short);
  });

  it('is measured in bytes, of which a letter may have four', () => {
    for (const letter of ['a', 'é', '東', '👩']) {
      for (let length = 1_000; length < 8_000; length += 500) {
        const name = letter.repeat(length);
        for (const hint of [
          { type: 'ready', kinds: [name] },
          { type: 'changed', jobs: [name], more: false },
        ] as const)
          expect(Buffer.byteLength(encode(hint))).toBeLessThan(BYTES);
      }
    }
  });
});

describe('what is not ours is no hint', () => {
  it.each([
    '',
    'nonsense',
    'null',
    '1',
    '"interest"',
    '[]',
    '{}',
    '{"type":"other"}',
    '{"type":"toString"}',
    '{"type":"ready"}',
    '{"type":"ready","kinds":"a"}',
    '{"type":"ready","kinds":[1]}',
    '{"type":"cancel"}',
    '{"type":"cancel","leases":[null]}',
    '{"type":"cancel","leases":[{"id":"pg-1"}]}',
    '{"type":"cancel","leases":[{"id":"pg-1","epoch":"7","claim":9}]}',
    '{"type":"changed"}',
    '{"type":"changed","more":false}',
    '{"type":"changed","jobs":["pg-1",null],"more":false}',
    '{"type":"changed","jobs":{"length":0},"more":false}',
    '{"type":"changed","jobs":[]}',
    '{"type":"changed","jobs":[],"more":"no"}',
  ])('%s', (message) => {
    expect(decode(message)).toBeNull();
  });
});
