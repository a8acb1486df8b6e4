import { expect, test } from 'vitest';
import { createFetchImage } from './images.ts';

const fetchImage = createFetchImage((_, run) => run());

test.each(['https://localhost/logo.png', 'https://127.0.0.1/logo.png', 'https://[::1]:8443/x'])(
  'nothing is fetched from %s, whatever the list says',
  async (url) => {
    const asked = fetchImage(url, { signal: undefined, maxBytes: 1_000 });
    await expect(asked).rejects.toMatchObject({ code: 'validation_error', retryable: false });
  },
);
