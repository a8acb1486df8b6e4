import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, vi } from 'vitest';
import { letter, textOf } from '../../test/documents.ts';
import { canary, routesTo, shows, svgWith, withPart } from '../../test/hostile.ts';
import { type Layers, convertAll } from '../../test/layers.ts';
import { openTestOffice, temporaryFolder } from '../../test/world.ts';
import { inFast, inLong } from '../../../../scripts/suite.ts';

// A document must not bring a file of this machine into the PDF. The canary is a picture in a colour of its own.

vi.setConfig({ testTimeout: 120_000 }); // a LibreOffice with an empty profile takes its time to start

function canaryUrl(): string {
  const file = join(temporaryFolder(), 'canary.png');
  writeFileSync(file, canary());
  return pathToFileURL(file).href;
}

/** The routes by which the canary came into the PDF, and those that made one at all. */
async function singing(layers: Layers): Promise<{ sung: string[]; made: string[] }> {
  const routes = routesTo(canaryUrl());
  const pdfs = await convertAll(layers, routes);
  const made = Object.keys(routes).flatMap((name, index) => {
    const pdf = pdfs[index];
    return pdf === null || pdf === undefined ? [] : [{ name, pdf }];
  });
  const names = (of: typeof made) => of.map(({ name }) => name);
  return { sung: names(made.filter(({ pdf }) => shows(pdf))), made: names(made) };
}

const ROUTES = Object.keys(routesTo(''));
const NO_ODT = ROUTES.filter((name) => name !== 'odt.docx');

inFast(
  'without any layer the canary sings, by all routes but a field, which LibreOffice does not follow',
  async () => {
    const { sung } = await singing({ profile: 'plain' });
    expect(sung).toEqual(NO_ODT.filter((name) => name !== 'include-picture.docx'));
  },
);

inLong('the profile alone silences links, not what a picture refers to', async () => {
  const { sung } = await singing({ profile: 'ours' });
  expect(sung).toEqual(expect.arrayContaining(['svg.docx', 'svg-in-data-uri.docx', 'odt.docx']));
  expect(sung).not.toContain('linked.docx');
});

inLong('Landlock alone keeps the canary silent, by every route', async () => {
  const { sung, made } = await singing({ profile: 'plain', disk: 'closed' });
  expect(sung).toEqual([]);
  expect(made).toEqual(NO_ODT);
});

inLong('so it does with our profile, by which an ODT is opened', async () => {
  expect(await singing({ profile: 'ours', disk: 'closed' })).toEqual({ sung: [], made: ROUTES });
});

inFast('what is no DOCX is not opened as what it is, and pictures are still read', async () => {
  const url = canaryUrl();
  const names = ['odt.docx', 'flat-odt.docx', 'html.docx', 'svg.docx'] as const;
  const routes = routesTo(url);
  const documents = Object.fromEntries(names.map((name) => [name, routes[name] ?? letter('x')]));
  const pdfs = await convertAll({ profile: 'ours', formats: 'docx' }, documents);
  expect(pdfs.map((pdf) => pdf !== null && shows(pdf))).toEqual([false, false, false, true]);
  expect(pdfs.slice(0, 3)).toEqual([null, null, null]);
});

inFast('in the pool no route brings it, and an ODT is refused with a sentence', async () => {
  const { office } = await openTestOffice();
  const {
    'odt.docx': odt,
    'flat-odt.docx': _flat,
    'html.docx': _html,
    ...routes
  } = routesTo(canaryUrl());
  for (const [name, document] of Object.entries(routes))
    expect([name, shows((await office.convert(document)).pdf)]).toEqual([name, false]);
  await expect(office.convert(odt ?? letter('x'))).rejects.toMatchObject({
    code: 'conversion_failed',
    retryable: false,
    message: expect.stringContaining('no Word document') as string,
  });
  expect(await office.check()).toMatchObject({
    disk: expect.arrayContaining(['landlock']) as string[],
  });
});

inFast('a pipe that nobody writes to holds no slot', async () => {
  const pipe = join(temporaryFolder(), 'pipe.png');
  execFileSync('mkfifo', [pipe]);
  const { office } = await openTestOffice();
  const document = withPart('svg', svgWith(pathToFileURL(pipe).href));
  expect(textOf((await office.convert(document)).pdf)).toContain('picture');
  expect(office.stats()).toMatchObject({ timeouts: 0, crashedProcesses: 0 });
});

inFast('no thread of a process has capabilities, can get more rights, or is root', async () => {
  const { office } = await openTestOffice({ workdir: tmpdir() });
  await office.convert(letter('x'));
  const [{ pid } = { pid: 0 }] = office.stats().processes;
  const own = process.getuid?.() ?? 0;
  const user = own === 0 ? 65_534 : own;
  const threads = readdirSync(`/proc/${pid}/task`);
  for (const thread of threads) {
    const status = readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8');
    const of = (name: string) => new RegExp(`^${name}:\\s+(.*)$`, 'm').exec(status)?.[1];
    expect([of('Uid'), of('CapEff'), of('CapPrm'), of('NoNewPrivs'), of('Seccomp')]).toEqual([
      Array(4).fill(user).join('\t'),
      '0000000000000000',
      '0000000000000000',
      '1',
      '2',
    ]);
  }
});

inFast(
  'where another user could not get at its folder, a process of root stays root, without what root can do',
  async () => {
    const { office } = await openTestOffice(); // in a folder for its owner alone
    await office.convert(letter('x'));
    const [{ pid } = { pid: 0 }] = office.stats().processes;
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    expect(/^Uid:\s+(\d+)/m.exec(status)?.[1]).toBe(String(process.getuid?.()));
    expect(/^CapEff:\s+(\w+)/m.exec(status)?.[1]).toBe('0000000000000000');
  },
);
