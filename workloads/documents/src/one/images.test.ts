import { expect, test } from 'vitest';
import { type ImageRules, fetchImages } from './images.ts';

const naming = (...urls: string[]) => ({ imagesNeeded: () => urls });
const rules = (changes: Partial<ImageRules> = {}): ImageRules => ({
  allowedHosts: ['cdn.example.com', 'images.example.com:8443'],
  fetch: (url) => Promise.resolve(Buffer.from(url)),
  ...changes,
});

test('fetches what is allowed, each once', async () => {
  const urls = ['https://CDN.example.com/a.png', 'https://images.example.com:8443/b.png'];
  const images = await fetchImages(naming(...urls), {}, rules(), undefined);
  expect([...images.keys()].toSorted()).toEqual(urls);
  expect((await fetchImages(naming(), {}, undefined, undefined)).size).toBe(0);
});

test.each([
  'https://evil.example.com/a.png',
  'https://cdn.example.com.evil.com/a.png',
  'https://cdn.example.com:8443/a.png',
  'https://images.example.com/a.png',
  'https://cdn.example.com@evil.com/a.png',
  'https://user:secret@cdn.example.com/a.png',
  'file:///etc/passwd',
  'ftp://cdn.example.com/a.png',
  'http://',
])('refuses %s without fetching', async (url) => {
  let fetched = 0;
  const counting = rules({
    fetch: () => {
      fetched += 1;
      return Promise.resolve(Buffer.alloc(1));
    },
  });
  const refused = fetchImages(
    naming('https://cdn.example.com/ok.png', url),
    {},
    counting,
    undefined,
  );
  await expect(refused).rejects.toMatchObject({ code: 'validation_error', retryable: false });
  await expect(refused).rejects.not.toThrow(/secret/);
  expect(fetched).toBe(0);
});

test('refuses too many and too large ones, and all where there are no rules', async () => {
  const urls = ['https://cdn.example.com/a', 'https://cdn.example.com/b'];
  for (const [given, limits] of [
    [urls, rules({ maxCount: 1 })],
    [urls, rules({ maxBytes: 10 })],
    [urls, undefined],
  ] as const)
    await expect(fetchImages(naming(...given), {}, limits, undefined)).rejects.toMatchObject({
      code: 'validation_error',
    });
});

test('a network that fails passes, a refusal does not; signatures in addresses are not reported', async () => {
  const url = 'https://cdn.example.com/a.png?signature=secret';
  const failing = (error: Error) =>
    fetchImages(naming(url), {}, rules({ fetch: () => Promise.reject(error) }), undefined);
  await expect(failing(new Error('ECONNRESET'))).rejects.toMatchObject({
    code: 'unknown',
    retryable: true,
    message: 'The image https://cdn.example.com/a.png could not be fetched: ECONNRESET',
  });
  const final = Object.assign(new Error('404'), { retryable: false });
  await expect(failing(final)).rejects.toMatchObject({
    code: 'validation_error',
    retryable: false,
  });
});
