import { describe, expect, test } from 'vitest';
import { id18, isId } from './ids.ts';

describe('ids', () => {
  // The first two are quoted in many places; the third can be worked out by head: its one capital is the third letter.
  test.each([
    ['001D000000IqhSL', '001D000000IqhSLIAZ'],
    ['00570000001ZwTi', '00570000001ZwTiAAK'],
    ['a0X000000000001', 'a0X000000000001EAA'],
  ])('%s has the checksum of %s', (short, long) => {
    expect(id18(short)).toBe(long);
    expect(id18(long)).toBe(long);
  });

  test('an id is known by its characters and its checksum', () => {
    expect([isId('001D000000IqhSL'), isId('001D000000IqhSLIAZ')]).toEqual([true, true]);
    expect(isId('001D000000IqhSLIAA')).toBe(false); // a wrong checksum
    for (const no of ['', '001', "001D000000Iqh'L", 5, null]) expect(isId(no)).toBe(false);
    expect(() => id18('nonsense')).toThrow('"nonsense" is not a Salesforce id.');
  });
});
