import { expect, test } from 'vitest';
import { createFetchPublic } from './fetch-public.ts';

const fetchPublic = createFetchPublic((_, run) => run());

test.each([
  'http://93.184.216.34/logo.png',
  'https://localhost/logo.png',
  'https://127.0.0.1/logo.png',
  'https://[::1]:8443/x',
])('nothing is fetched from %s', async (url) => {
  const asked = fetchPublic(url, { dependency: 'image', accept: 'image/*', maxBytes: 1_000 });
  await expect(asked).rejects.toMatchObject({ name: 'FetchRefused', retryable: false });
});
