import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkSchema, fields, oneOrMore, word } from './check.ts';
import { type DefinitionFolder, definitionFolder } from './folder.ts';
import type { Review } from './settle.ts';

const recipe = fields({
  title: z.string(),
  heat: word(['low', 'medium', 'high'], { warm: 'medium' }).optional(),
  minutes: z.number().min(1).optional(),
  vegan: z.boolean().optional(),
  needs: oneOrMore(z.string()).optional(),
  steps: z.record(z.string(), fields({ text: z.string() })).optional(),
});
type Recipe = z.infer<typeof recipe>;

let folder: string;
let opened: DefinitionFolder<Recipe> | null;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'millrace-definitions-'));
  opened = null;
});
afterEach(async () => {
  await opened?.close();
  rmSync(folder, { recursive: true, force: true });
});

const put = (file: string, text: string | Uint8Array) => writeFileSync(join(folder, file), text);

function recipes(review?: Review<Recipe>) {
  opened = definitionFolder<Recipe>({
    folder,
    check: (_, value) => checkSchema(recipe, value),
    lookEveryMs: 20,
    ...(review && { review }),
  });
  return opened;
}

async function read(): Promise<{ names: string[]; problems: string[] }> {
  const files = opened ?? recipes();
  await files.load();
  return shown(files);
}

function shown(files: DefinitionFolder<Recipe>) {
  const { inForce, troubled } = files.now();
  return {
    names: [...inForce.keys()],
    problems: troubled
      .flatMap(({ problems }) => problems)
      .map(({ file, line, column, message }) => `${file}:${line}:${column} ${message}`),
  };
}

describe('one file', () => {
  test('all that is wrong with it is said at once, each at its place', async () => {
    put(
      'soup.yaml',
      'titel: Soup\nheat: hihg\nminutes: soon\nvegan: yes\nsteps:\n  boil:\n    txt: x\n',
    );
    const { names, problems } = await read();
    expect(names).toEqual([]);
    expect(problems).toEqual([
      'soup.yaml:1:1 title: this is missing. Write a text.',
      'soup.yaml:2:7 heat: there is no "hihg" here. Did you mean "high"?',
      'soup.yaml:3:10 minutes: write a number. "soon" is a text.',
      'soup.yaml:4:8 vegan: write true or false. "yes" is a text in YAML 1.2.',
      'soup.yaml:6:3 steps.boil.text: this is missing. Write a text.',
      'soup.yaml:7:5 steps.boil.txt: there is no such field. Did you mean "text"?',
      'soup.yaml:1:1 titel: there is no such field. Did you mean "title"?',
    ]);
  });

  test.each([
    ['a tab', 'title: x\nsteps:\n\tboil: y\n', '3:1', /tab/],
    ['a field that is there twice', 'title: x\ntitle: y\n', '2:1', /twice/],
    ['two documents', 'title: x\n---\ntitle: y\n', '2:1', /one definition/],
    ['a tag', 'title: !secret x\n', '1:8', /Tags/],
    ['an alias', 'title: &a x\nneeds: *a\n', '2:8', /no aliases/],
    [
      'an alias bomb',
      `title: x\na: &a [x]\n${['b: &b', 'c: &c'].map((k) => `${k} [*a,*a]`).join('\n')}\n`,
      '3:8',
      /no aliases/,
    ],
    ['another version of YAML', '%YAML 1.1\n---\ntitle: yes\n', '1:1', /YAML 1.2/],
    ['a number with leading zeros', 'title: x\nminutes: 007\n', '2:10', /"007" in quotes/],
    ['a number of too many digits', 'title: 12345678901234567890\n', '1:8', /more digits/],
    ['a colon in a text', 'title: Soup: hot\n', '1:8', /colon/],
    ['a quote that is not closed', 'title: "Soup\n', '2:1', /not closed/],
    ['braces at the start of a text', 'title: {a}-{b}\n', '1:11', /quotes/],
    ['a NUL', 'title: "x\\0"\n', '1:8', /NUL/],
    ['an empty value', 'title:\n', '1:1', /empty/],
    ['a number for a text', 'title: 2026\n', '1:8', /put quotes around it/],
    ['nothing', '', '1:1', /Write fields/],
    ['a list', '- title: x\n', '1:1', /Write fields/],
    ['an empty list', 'title: x\nneeds: []\n', '2:8', /empty/],
    ['a wrong item', 'title: x\nneeds: [a, {b: 1}]\n', '2:12', /needs\[1\]: write a text/],
    ['brackets without an end', '['.repeat(100_000), null, /./],
    [
      'steps without an end',
      Array.from({ length: 700 }, (_, i) => `${' '.repeat(i)}a:`).join('\n'),
      null,
      /./,
    ],
  ])('%s is refused with a sentence that helps', async (_, text, place, sentence) => {
    put('soup.yaml', text);
    const { names, problems } = await read();
    expect(names).toEqual([]);
    expect(problems.length).toBeGreaterThan(0);
    expect(problems.length).toBeLessThanOrEqual(20);
    expect(problems[0]).toMatch(sentence);
    if (place !== null) expect(problems[0]).toMatch(`soup.yaml:${place} `);
  });

  test('a word that people use elsewhere is understood', async () => {
    put('soup.yaml', 'title: x\nheat: warm\n');
    expect((await read()).problems).toEqual([
      'soup.yaml:2:7 heat: there is no "warm" here. Did you mean "medium"?',
    ]);
  });

  test('a byte order mark and the line ends of Windows make no difference, nor do comments, quotes and indentation', async () => {
    put('a.yaml', 'title: Soup\nneeds: [no, on]\n');
    put(
      'b.yaml',
      '\ufeff# with words\r\n"title":   \'Soup\'\r\nneeds:\r\n    - no\r\n    - "on"\r\n',
    );
    put('c.yml', 'title: Soup\nneeds: [no, off]\n');
    expect(await read()).toEqual({ names: ['a', 'b', 'c'], problems: [] });
    const [a, b, c] = [...(opened?.now().inForce.values() ?? [])];
    expect(a?.value.needs).toEqual(['no', 'on']);
    expect(a?.digest).toMatch(/^[0-9a-f]{64}$/);
    expect(b?.digest).toBe(a?.digest);
    expect(c?.digest).not.toBe(a?.digest);
    expect(JSON.parse(a?.text ?? '')).toEqual({ title: 'Soup', needs: ['no', 'on'] });
  });

  test('what is no field of ours cannot reach the prototype of objects', async () => {
    put('soup.yaml', 'title: x\n__proto__: { vegan: true }\nconstructor: 1\n');
    expect((await read()).problems).toHaveLength(2);
    expect(({} as Recipe).vegan).toBeUndefined();
  });
});

describe('a folder', () => {
  test('that is not there is empty', async () => {
    rmSync(folder, { recursive: true });
    expect(await read()).toEqual({ names: [], problems: [] });
  });

  test('leaves alone what is no YAML, and what editors put there', async () => {
    for (const file of [
      'README.md',
      '.soup.yaml',
      '.soup.yaml.swp',
      'soup.yaml~',
      '#soup.yaml#',
      'soup.yaml.bak',
      '4913',
    ])
      put(file, 'x: [');
    mkdirSync(join(folder, 'more'));
    put('more/tea.yaml', 'x: [');
    expect(await read()).toEqual({ names: [], problems: [] });
  });

  test('one broken file does not stop the others', async () => {
    put('a.yaml', 'title: x\n');
    put('b.yaml', 'title: [\n');
    put('c.yaml', 'title: x\n');
    expect((await read()).names).toEqual(['a', 'c']);
  });

  test('names that are none are refused, with one that would do', async () => {
    put('My Soup (2).yaml', 'title: x\n');
    put('soup.YAML', 'title: x\n');
    put('soup_of_day.yml', 'title: x\n');
    const { names, problems } = await read();
    expect(names).toEqual([]);
    expect(problems.map((each) => each.split(' to ').at(-1))).toEqual([
      'my-soup-2.yaml.',
      'soup.yaml.',
      'soup-of-day.yaml.',
    ]);
  });

  test('two files of one name: the first counts', async () => {
    put('soup.yaml', 'title: first\n');
    put('soup.yml', 'title: second\n');
    const { names, problems } = await read();
    expect(names).toEqual(['soup']);
    expect(opened?.now().inForce.get('soup')?.value.title).toBe('first');
    expect(problems[0]).toMatch(/^soup\.yml:1:1 soup\.yaml has the same name/);
  });

  test('links within the folder are followed, as a ConfigMap has them; those that lead out are refused', async () => {
    const outside = mkdtempSync(join(tmpdir(), 'millrace-outside-'));
    writeFileSync(join(outside, 'secret.yaml'), 'title: secret\n');
    mkdirSync(join(folder, '..data'));
    put('..data/soup.yaml', 'title: x\n');
    symlinkSync('..data/soup.yaml', join(folder, 'soup.yaml'));
    symlinkSync(join(outside, 'secret.yaml'), join(folder, 'secret.yaml'));
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    symlinkSync('nothing', join(folder, 'dangling.yaml'));
    const { names, problems } = await read();
    expect(names).toEqual(['soup']);
    expect(problems).toEqual([
      expect.stringMatching(/^loop\.yaml:1:1 .*leads to itself/),
      expect.stringMatching(/^secret\.yaml:1:1 .*outside of the folder/),
    ]);
    rmSync(outside, { recursive: true });
  });

  test('what is no file, too large or no UTF-8 is said, and nothing hangs', async () => {
    mkdirSync(join(folder, 'folder.yaml'));
    execFileSync('mkfifo', [join(folder, 'pipe.yaml')]);
    put('large.yaml', `title: ${'x'.repeat(300_000)}\n`);
    put('latin.yaml', new Uint8Array([0x74, 0x3a, 0x20, 0xfc, 0x0a]));
    const { problems } = await read();
    expect(problems).toEqual([
      expect.stringMatching(/^folder\.yaml.*no file/),
      expect.stringMatching(/^large\.yaml.*300008 bytes/),
      expect.stringMatching(/^latin\.yaml.*UTF-8/),
      expect.stringMatching(/^pipe\.yaml.*no file/),
    ]);
  });

  // root may read everything.
  test.skipIf(process.getuid?.() === 0)('a file that may not be read is said', async () => {
    put('soup.yaml', 'title: x\n');
    chmodSync(join(folder, 'soup.yaml'), 0);
    expect((await read()).problems[0]).toMatch(/may not read/);
  });
});

describe('read again', () => {
  test('a file that breaks keeps its last good version in force, until it is good or gone', async () => {
    put('soup.yaml', 'title: one\n');
    await read();
    put('soup.yaml', 'title: [\n');
    expect((await read()).names).toEqual(['soup']);
    const { inForce, troubled } = opened?.now() ?? {};
    expect(inForce?.get('soup')?.value.title).toBe('one');
    expect(troubled).toMatchObject([{ file: 'soup.yaml', name: 'soup', inForce: 'older' }]);

    put('soup.yaml', 'title: two\n');
    expect((await read()).problems).toEqual([]);
    expect(opened?.now().inForce.get('soup')?.value.title).toBe('two');

    put('soup.yaml', 'title: [\n');
    await read();
    rmSync(join(folder, 'soup.yaml'));
    expect(await read()).toEqual({ names: [], problems: [] });
  });

  test('a version that was in force is found by its digest', async () => {
    put('soup.yaml', 'title: one\n');
    await read();
    const one = opened?.now().inForce.get('soup');
    put('soup.yaml', 'title: two\n');
    await read();
    expect(opened?.version('soup', one?.digest ?? '')).toBe(one);
    expect(opened?.version('tea', one?.digest ?? '')).toBeNull();
  });

  test('once it is open, changes are seen: replaced, edited, removed; listeners hear of what is different', async () => {
    put('soup.yaml', 'title: one\n');
    const files = recipes();
    await files.load();
    put('soup.yaml', 'title: two\n');
    await files.open();
    expect(files.now().inForce.get('soup')?.value.title).toBe('two');

    const change = (make: () => void) =>
      new Promise<string[]>((resolve) => {
        const end = files.onChange(() => {
          end();
          resolve(shown(files).names);
        });
        make();
      });
    await change(() => {
      put('.new', 'title: three\n');
      renameSync(join(folder, '.new'), join(folder, 'soup.yaml'));
    });
    expect(files.now().inForce.get('soup')?.value.title).toBe('three');
    expect(await change(() => put('tea.yaml', 'title: x\n'))).toEqual(['soup', 'tea']);
    expect(await change(() => rmSync(join(folder, 'soup.yaml')))).toEqual(['tea']);
    await change(() => put('tea.yaml', 'title: [\n'));
    expect(shown(files)).toMatchObject({ names: ['tea'], problems: [expect.anything()] });
  });

  test('a folder that cannot be read any more leaves in force what was read', async () => {
    put('soup.yaml', 'title: one\n');
    await read();
    rmSync(folder, { recursive: true });
    writeFileSync(folder, 'a file');
    const { names, problems } = await read();
    expect(names).toEqual(['soup']);
    expect(problems[0]).toMatch(/cannot be read/);
  });
});

describe('files that refer to each other', () => {
  /** Each `needs` names another file; what has changed may need nothing that needs `title: poison`. */
  const review: Review<Recipe> = ({ definitions, changed, names }) =>
    [...definitions.values()].flatMap(({ name, value }) =>
      (value.needs ?? []).flatMap((needed, index) => {
        const path = ['needs', index];
        if (!names.has(needed)) return [{ name, path, message: `there is no ${needed}.` }];
        return changed.has(name) && definitions.get(needed)?.value.title === 'poison'
          ? [{ name, path, message: `${needed} is poison.` }]
          : [];
      }),
    );

  test('a new file that does not fit is not in force; one that refers to a broken file is', async () => {
    put('a.yaml', 'title: x\nneeds: [b]\n');
    put('b.yaml', 'title: [\n');
    put('c.yaml', 'title: x\nneeds: [a, d]\n');
    recipes(review);
    const { names, problems } = await read();
    expect(names).toEqual(['a']);
    expect(problems[1]).toBe('c.yaml:2:12 needs[1]: there is no d.');
    expect(opened?.now().troubled).toMatchObject([{ inForce: null }, { inForce: null }]);
  });

  test('a changed file that does not fit gives way to its last version, also where only others changed it back', async () => {
    put('a.yaml', 'title: x\n');
    put('b.yaml', 'title: poison\n');
    recipes(review);
    await read();
    put('a.yaml', 'title: y\nneeds: b\n');
    expect(await read()).toEqual({
      names: ['a', 'b'],
      problems: ['a.yaml:2:8 needs: b is poison.'],
    });
    expect(opened?.now().inForce.get('a')?.value.title).toBe('x');
    // The file is as it was: now it fits.
    put('b.yaml', 'title: honey\n');
    expect((await read()).problems).toEqual([]);
    expect(opened?.now().inForce.get('a')?.value.title).toBe('y');
  });

  test('what others took away from a file that did not change is shown, and the file stays in force', async () => {
    put('a.yaml', 'title: x\nneeds: [b]\n');
    put('b.yaml', 'title: x\n');
    recipes(review);
    await read();
    rmSync(join(folder, 'b.yaml'));
    expect(await read()).toEqual({
      names: ['a'],
      problems: ['a.yaml:2:9 needs[0]: there is no b.'],
    });
    expect(opened?.now().troubled).toMatchObject([{ inForce: 'this' }]);
  });
});
