import { expect, test } from 'vitest';
import { authBase, instanceBase } from './address.ts';

test.each([
  'https://sub.auth.marketingcloudapis.com',
  'https://sub.auth.marketingcloudapis.com/',
  'https://sub.auth.marketingcloudapis.com/v2/token',
])('authUrl may be pasted as %s', (authUrl) => {
  expect(new URL('v2/token', authBase(authUrl)).href).toBe(
    'https://sub.auth.marketingcloudapis.com/v2/token',
  );
});

test('the addresses of a tenant are trusted, those that only look so are not', () => {
  const auth = authBase('https://sub.auth.marketingcloudapis.com');
  const of = (url: string): string => instanceBase('rest_instance_url', url, auth).href;
  expect(of('https://sub.rest.marketingcloudapis.com/')).toBe(
    'https://sub.rest.marketingcloudapis.com/',
  );
  for (const url of [
    'http://sub.rest.marketingcloudapis.com/',
    'https://marketingcloudapis.com.evil.example/',
    'https://evilmarketingcloudapis.com/',
    'https://sub.rest.marketingcloudapis.com:8443/',
    'http://127.0.0.1/',
  ]) {
    expect(() => of(url)).toThrow('not Marketing Cloud');
  }
});
