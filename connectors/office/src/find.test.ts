import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../test/world.ts';
import { findOffice } from './find.ts';

function installation(version: string, files: Record<string, string>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'program'));
  const all = { bootstraprc: `[Bootstrap]\nProductKey=LibreOffice ${version}\n`, ...files };
  for (const [name, text] of Object.entries(all))
    writeFileSync(join(folder, 'program', name), text);
  return folder;
}

const library = 'x'.repeat(200);

test('the machine that runs the tests has a LibreOffice with its kit', async () => {
  expect(await findOffice()).toMatchObject({
    found: { library: expect.stringContaining('.so') as string },
  });
});

test('an installation is found by its folder, its program folder or its soffice', async () => {
  const folder = installation('24.2', { 'libmergedlo.so': library, soffice: '#!' });
  const program = join(folder, 'program');
  const found = {
    program,
    library: join(program, 'libmergedlo.so'),
    soffice: join(program, 'soffice'),
    version: { major: 24, minor: 2 },
  };
  symlinkSync(join(program, 'soffice'), join(folder, 'link'));
  for (const place of [folder, program, join(program, 'soffice'), join(folder, 'link')])
    expect(await findOffice(place)).toEqual({ found });
});

test('a stub of a library is none', async () => {
  const folder = installation('7.0', { 'libsofficeapp.so': 'stub', 'libmergedlo.so': library });
  expect(await findOffice(folder)).toMatchObject({
    found: { library: join(folder, 'program', 'libmergedlo.so'), soffice: null },
  });
});

test('an old one, or none, is missing', async () => {
  const old = installation('6.4', { 'libmergedlo.so': library });
  expect(await findOffice(old)).toEqual({ missing: expect.stringContaining('6.4') as string });
  expect(await findOffice('/nowhere')).toEqual({
    missing: expect.stringContaining('/nowhere') as string,
  });
  expect(await findOffice(temporaryFolder())).toHaveProperty('missing');
});
