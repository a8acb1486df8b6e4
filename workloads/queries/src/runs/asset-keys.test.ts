import { expect, test } from 'vitest';
import { isTemporary, keysOf } from './asset-keys.ts';

const keys = keysOf('1a2b3c4d');

test.each([
  ['millrace-1a2b3c4d-12-9f8e7d', 12],
  ['millrace-1a2b3c4d-12-9f8e7dt', 12],
  // The second try of an imported run.
  ['millrace-1a2b3c4d-12', 12],
  ['millrace-1a2b3c4d-12t', 12],
  ['millrace-1a2b3c4d-12-9f8e7', null],
  ['millrace-1a2b3c4d-12-report', null],
  ['millrace-other123-12-9f8e7d', null],
])('the key %s is of the run %j', (key, seq) => {
  expect(keys.seqOf(key)).toBe(seq);
  if (seq !== null) expect(isTemporary(key)).toBe(true);
});

test('the second try has the key of the first with a mark', () => {
  const key = 'millrace-1a2b3c4d-1234567890-9f8e7d';
  expect(keys.textKeyOf({ seq: 1_234_567_890, targetDeName: key })).toBe(`${key}t`);
  expect(`${key}t`).toHaveLength(36);
  const older = { seq: 7, targetDeName: 'A name that another system gave' };
  expect(keys.textKeyOf(older)).toBe('millrace-1a2b3c4d-7t');
});
