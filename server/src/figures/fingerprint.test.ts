import { expect, test } from 'vitest';
import { causeOf, groupId } from './fingerprint.ts';

test.each([
  ['Row 7 of "file-7.csv" is broken.', 'Row … of … is broken.'],
  ['LibreOffice took over 60 s on page 3', 'LibreOffice took over … s on page …'],
  ['https://erp.example/hook?x=1 answered 410 Gone', '… answered … Gone'],
  ['068Aw00000K2abcAAA was deleted in the org', '… was deleted in the org'],
  ['No answer for ada@example.com', 'No answer for …'],
  ['Job 3f1c2a90-d4b7-4e61-8a3e-1f2d3c4b5a69 is lost', 'Job … is lost'],
  ["county: expected one of 96, found 'Oberpfaltz'", 'county: expected one of …, found …'],
  ["It can't be read", "It can't be read"],
  ['A\nB', 'A'],
  ['', ''],
])('%j has the cause %j', (message, cause) => expect(causeOf(message)).toBe(cause));

test('causes of the same words are the same, others are not', () => {
  const id = (message: string) => groupId('k', 'c', causeOf(message));
  expect(id('Row 1 is broken')).toBe(id('Row 22 is broken'));
  expect(id('Row 1 is broken')).not.toBe(id('Row 1 is missing'));
  expect(causeOf('x'.repeat(10_000))).toHaveLength(200);
});

test('no message takes long, however it is made', () => {
  for (const part of ['"', 'a1', "'", 'http://', '1.', 'a@a.', '… '])
    expect(causeOf(part.repeat(2_000)).length).toBeLessThanOrEqual(200);
});
