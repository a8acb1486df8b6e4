import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../test/world.ts';
import { type System, findOffice } from './find.ts';
import { environmentOf } from './processes/environment.ts';
import { killTree } from './processes/group.ts';

// Other systems than this one, played by a tree of files and by what would be started. Only Linux was run.

const BOOTSTRAP = '[Bootstrap]\nProductKey=LibreOffice 25.2\n';

/** A disk with these files, each with enough in it to be no stub. */
function disk(files: readonly string[]): string {
  const root = temporaryFolder();
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), /bootstrap/.test(file) ? BOOTSTRAP : 'x'.repeat(200));
  }
  return root;
}

function system(platform: NodeJS.Platform, root: string, env: System['env'] = {}): System {
  return { platform, root, home: join(root, 'home/ada'), env };
}

const version = { major: 25, minor: 2 };

describe('LibreOffice on Windows', () => {
  const program = 'Program Files/LibreOffice/program';
  const files = ['soffice.com', 'soffice.exe', 'soffice.bin', 'mergedlo.dll', 'bootstrap.ini'];

  test('is found among the programs, and converts by soffice.com', async () => {
    const root = disk(files.map((file) => `${program}/${file}`));
    const env = { ProgramFiles: join(root, 'Program Files') };
    expect(await findOffice(undefined, system('win32', root, env))).toEqual({
      found: {
        program: join(root, program),
        library: null,
        soffice: join(root, program, 'soffice.com'),
        version,
      },
    });
  });

  test.each([
    ['of 32 bits', 'ProgramFiles(x86)', 'Program Files (x86)', 'LibreOffice/program'],
    ['of one user', 'LOCALAPPDATA', 'AppData/Local', 'Programs/LibreOffice/program'],
  ])('is found %s', async (_, variable, folder, place) => {
    const root = disk([join(folder, place, 'soffice.exe')]);
    const env = { [variable]: join(root, folder) };
    expect(await findOffice(undefined, system('win32', root, env))).toMatchObject({
      found: { soffice: join(root, folder, place, 'soffice.exe') },
    });
  });

  test('is found by PATH, and by MILLRACE_OFFICE_PATH', async () => {
    const root = disk(files.map((file) => `D/Office/program/${file}`));
    const found = { found: { program: join(root, 'D/Office/program'), version } };
    const env = { PATH: ['/nowhere', join(root, 'D/Office/program')].join(';') };
    expect(await findOffice(undefined, system('win32', root, env))).toMatchObject(found);
    const given = join(root, 'D/Office');
    expect(await findOffice(given, system('win32', root))).toMatchObject(found);
  });

  test('is missing with a sentence for Windows', async () => {
    expect(await findOffice(undefined, system('win32', disk([])))).toEqual({
      missing: expect.stringMatching(/none of the usual places.*winget/) as string,
    });
  });
});

describe('LibreOffice on macOS', () => {
  const app = 'LibreOffice.app/Contents';
  const files = ['MacOS/soffice', 'Frameworks/libsofficeapp.dylib', 'Resources/bootstraprc'];

  test.each(['Applications', 'home/ada/Applications'])('is found in %s', async (folder) => {
    const root = disk(files.map((file) => join(folder, app, file)));
    const program = join(root, folder, app, 'MacOS');
    expect(await findOffice(undefined, system('darwin', root))).toEqual({
      found: { program, library: null, soffice: join(program, 'soffice'), version },
    });
  });

  test.each(['', 'Contents/MacOS', 'Contents/MacOS/soffice', 'Contents/Frameworks'])(
    'is found by MILLRACE_OFFICE_PATH: LibreOffice.app/%s',
    async (place) => {
      const root = disk(files.map((file) => join('Tools', app, file)));
      const given = join(root, 'Tools/LibreOffice.app', place);
      const search = await findOffice(given, system('darwin', root));
      expect(search).toMatchObject({ found: { version } });
      expect('found' in search && search.found.soffice).toMatch(/Contents\/MacOS\/soffice$/);
    },
  );

  test('is missing with a sentence for macOS', async () => {
    expect(await findOffice(undefined, system('darwin', disk([])))).toEqual({
      missing: expect.stringMatching(/brew install --cask libreoffice/) as string,
    });
  });
});

test('LibreOffice on Linux is found in /opt, the newest first, with its kit', async () => {
  const root = disk(
    ['24.8', '25.2'].map((each) => `opt/libreoffice${each}/program/libmergedlo.so`),
  );
  expect(await findOffice(undefined, system('linux', root))).toMatchObject({
    found: { library: join(root, 'opt/libreoffice25.2/program/libmergedlo.so') },
  });
});

describe('a process', () => {
  const env = {
    Path: 'C:\\Windows',
    SystemRoot: 'C:\\Windows',
    DATABASE_URL: 'postgres://ada:secret@host/db',
    APPDATA: 'C:\\Users\\ada\\AppData\\Roaming',
  };

  test('gets what Windows needs, its own folder, and no secret', () => {
    const given = environmentOf('C:\\work', env, 'win32');
    expect(given).toMatchObject({
      Path: env.Path,
      SystemRoot: env.SystemRoot,
      APPDATA: 'C:\\work',
    });
    expect(Object.keys(given)).toEqual(expect.arrayContaining(['TEMP', 'TMP', 'USERPROFILE']));
    expect(JSON.stringify(given)).not.toContain('secret');
    expect(given).not.toHaveProperty('OPENSSL_CONF');
  });

  test('is ended on Windows with the tree below it', () => {
    const started: unknown[] = [];
    killTree(4711, 'win32', (program, args) => void started.push([program, ...args]));
    killTree(undefined, 'win32', () => started.push('nothing to end'));
    expect(started).toEqual([['taskkill', '/pid', '4711', '/t', '/f']]);
  });
});
