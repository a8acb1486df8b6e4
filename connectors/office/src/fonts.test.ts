import { expect, test } from 'vitest';
import { installedFonts } from './fonts.ts';

test('the families of this machine are known, each by its name', async () => {
  const fonts = await installedFonts();
  expect(fonts).toContain('Liberation Sans');
  expect(new Set(fonts).size).toBe(fonts?.length);
});

test('without fontconfig nothing is claimed', async () => {
  expect(await installedFonts('no-such-program')).toBeNull();
});
