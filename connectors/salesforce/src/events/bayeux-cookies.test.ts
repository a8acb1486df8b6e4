import { expect, test } from 'vitest';
import { readCookies } from './bayeux-cookies.ts';

function jarOf(...headers: string[]): Record<string, string> {
  const jar = new Map<string, string>();
  for (const header of headers) readCookies(header, jar);
  return Object.fromEntries(jar);
}

test('several cookies in one header, with commas and equals signs in them', () => {
  const header =
    'BAYEUX_BROWSER=1a-2b; Path=/; Secure, sfdc-stream=!//Qi+w=; path=/; Expires=Sun, 24-Sep-2023 19:55:37 GMT; Secure';
  expect(jarOf(header)).toEqual({ BAYEUX_BROWSER: '1a-2b', 'sfdc-stream': '!//Qi+w=' });
});

test('a later one takes the place of an earlier, or takes it back', () => {
  expect(jarOf('a=1, b=1', 'a=2')).toEqual({ a: '2', b: '1' });
  expect(jarOf('a=1, b=1', 'a=; Max-Age=0')).toEqual({ b: '1' });
});

test('what is none, too long or one too many is left out', () => {
  expect(jarOf('', 'nothing', '=x', 'a=b c', `big=${'x'.repeat(5_000)}`)).toEqual({});
  const many = Array.from({ length: 30 }, (_, n) => `c${n}=1`).join(', ');
  expect(Object.keys(jarOf(many))).toHaveLength(20);
});
