import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect, vi } from 'vitest';
import {
  coloured,
  decodePng,
  infoOf,
  letter,
  longTable,
  pages,
  picturesIn,
  pixelsOf,
  textOf,
  withPicture,
} from '../test/documents.ts';
import {
  groupOf,
  isGone,
  openTestOffice,
  processorTime,
  temporaryFolder,
  until,
} from '../test/world.ts';
import { findOffice } from './find.ts';
import { defaultSlots } from './office.ts';
import { inFast, inLong } from '../../../scripts/suite.ts';

// With the real LibreOffice. Without one these fail: a machine that tests this package has it installed.

inFast('a DOCX becomes a PDF with its text, and the folder is empty afterwards', async () => {
  const { office, workdir } = await openTestOffice();
  const { pdf, timings } = await office.convert(letter('Grüße an Änne', 'Zeile zwei'));
  expect(textOf(pdf)).toMatch(/Grüße an Änne\s+Zeile zwei/);
  expect(timings.totalMs).toBeGreaterThanOrEqual(timings.loadMs + timings.saveMs);
  expect(await office.check()).toMatchObject({
    ok: true,
    way: 'kit',
    version: expect.stringMatching(/^\d+\.\d+/) as string,
    network: expect.arrayContaining(['filter']) as string[],
  });
  expect(office.stats()).toMatchObject({
    slots: 1,
    completedJobs: 1,
    failedJobs: 0,
    totalConversions: 1,
  });
  await office.close();
  expect(readdirSync(workdir)).toEqual([]);
});

inLong('a plain PDF shows what soffice makes of the document', async () => {
  const { office, workdir } = await openTestOffice();
  const docx = withPicture('With a picture');
  const { pdf } = await office.convert(docx);
  const search = await findOffice();
  if ('missing' in search || search.found.soffice === null) throw new Error('There is no soffice.');
  writeFileSync(join(workdir, 'in.docx'), docx);
  const profile = `-env:UserInstallation=${pathToFileURL(join(workdir, 'plain')).href}`;
  const convertTo = ['--convert-to', 'pdf', '--outdir', workdir, join(workdir, 'in.docx')];
  // The first run may only fill the profile, and ask for another.
  for (const _ of ['first', 'second'])
    await once(spawn(search.found.soffice, [profile, '--headless', ...convertTo]), 'close');
  expect(picturesIn(pdf)).toBe(1);
  expect(pixelsOf(pdf).equals(pixelsOf(readFileSync(join(workdir, 'in.pdf'))))).toBe(true);
});

inFast('PDF options', async () => {
  const { office } = await openTestOffice();
  const docx = pages('First page', 'Second page', 'Third page');
  const archive = (await office.convert(docx, { pdf: { pdfA: '2b' } })).pdf;
  expect(Buffer.from(archive).toString('latin1')).toContain('<pdfaid:part>2</pdfaid:part>');
  for (const [pdfA, part] of [
    ['1b', 1],
    ['3b', 3],
  ] as const) {
    const { pdf } = await office.convert(docx, { pdf: { pdfA } });
    expect(Buffer.from(pdf).toString('latin1')).toContain(`<pdfaid:part>${part}</pdfaid:part>`);
  }
  const accessible = (await office.convert(docx, { pdf: { pdfUa: true } })).pdf;
  expect(Buffer.from(accessible).toString('latin1')).toContain('<pdfuaid:part>1</pdfuaid:part>');
  expect(infoOf(accessible)).toMatch(/Tagged:\s+yes/);
  const locked = (await office.convert(docx, { pdf: { password: 'schön "\\' } })).pdf;
  expect(() => textOf(locked)).toThrow(/Incorrect password/);
  const { pdf: wellLocked } = await office.convert(docx, {
    pdf: { password: 'пароль', pdfUa: true },
  });
  const facts = infoOf(wellLocked, '-upw', 'пароль');
  expect(facts).toMatch(/Encrypted:\s+yes \(print:yes copy:yes .*algorithm:AES-256/);
  expect(facts).toMatch(/Tagged:\s+yes/);
  expect(textOf(wellLocked, '-upw', 'пароль')).toContain('Second page');
  const marked = (await office.convert(docx, { pdf: { watermark: 'ENTWURF', pages: '2-3' } })).pdf;
  expect(infoOf(marked)).toMatch(/Pages:\s+2/);
  expect(textOf(marked)).not.toContain('First page');
  expect(textOf(marked, '-f', '1', '-l', '1')).toContain('ENTWURF');
  const noSuchPage = office.convert(docx, { pdf: { pages: '9' } });
  await expect(noSuchPage).rejects.toMatchObject({ code: 'conversion_failed', retryable: false });
  await expect(noSuchPage).rejects.toThrow(/none of the pages asked for/);
  await expect(noSuchPage).rejects.not.toThrow(/file:|\.cxx|millrace-office/);
  await expect(office.convert(docx, { pdf: { pdfA: '1b', password: 'x' } })).rejects.toMatchObject({
    code: 'unsupported_option',
  });
});

inFast('a thumbnail is a PNG of page 1, in its colours', async () => {
  const { office } = await openTestOffice();
  const { width, height, rows } = decodePng(
    Buffer.from(await office.thumbnail(coloured('FF0000'), { width: 200 })),
  );
  expect([width, height]).toEqual([200, 283]); // as high as A4 is
  const colours = new Set(
    Array.from({ length: width * height }, (_, pixel) => {
      const at = pixel * 3 + Math.floor(pixel / width) + 1; // each row begins with a byte of its own
      return rows.subarray(at, at + 3).toString('hex');
    }),
  );
  expect(colours).toContain('ff0000');
  expect(colours).not.toContain('0000ff');
  await expect(office.thumbnail(letter('x'), { width: 0 })).rejects.toMatchObject({
    code: 'unsupported_option',
  });
});

inFast('what is no DOCX is refused, and a broken one fails alone', async () => {
  const { office } = await openTestOffice();
  const invalid = { code: 'invalid_document', retryable: false };
  await expect(office.convert(Buffer.from('<html>hello</html>'))).rejects.toMatchObject(invalid);
  await expect(office.convert(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toMatchObject(
    invalid,
  );
  const whole = letter('Whole');
  await expect(office.convert(whole.subarray(0, whole.length - 400))).rejects.toMatchObject({
    code: 'conversion_failed',
    retryable: false,
  });
  expect(textOf((await office.convert(whole)).pdf)).toContain('Whole');
});

inFast('a process that is killed at work is replaced, and its document converted', async () => {
  const { office, seen } = await openTestOffice();
  await office.check();
  const result = office.convert(longTable(400));
  const [{ pid } = { pid: 0 }] = office.stats().processes;
  process.kill(pid, 'SIGKILL');
  expect(textOf((await result).pdf)).toContain('399 4');
  expect(await seen.event('process_ended')).toMatchObject({ pid, reason: 'crash' });
  expect(office.stats()).toMatchObject({ retriedJobs: 1, crashedProcesses: 1, completedJobs: 1 });
});

inFast('a process that hangs is killed when the time is over', async () => {
  const { office, seen } = await openTestOffice({ timeoutMs: 1_000 });
  await office.check();
  const [{ pid } = { pid: 0 }] = office.stats().processes;
  process.kill(pid, 'SIGSTOP');
  await expect(office.convert(letter('x'))).rejects.toMatchObject({ code: 'conversion_timeout' });
  expect(await seen.event('process_ended')).toMatchObject({ pid, reason: 'timeout' });
  expect(isGone(pid)).toBe(true);
});

inLong('two processes convert at the same time, each with its own profile', async () => {
  const { office, seen } = await openTestOffice({ slots: 2 });
  await seen.event('process_started', ({ pid }) =>
    seen.events.some((e) => e.type === 'process_started' && e.pid !== pid),
  );
  const texts = Array.from({ length: 8 }, (_, n) => `Document ${n}`);
  const results = await Promise.all(texts.map((text) => office.convert(letter(text))));
  expect(results.map(({ pdf }) => textOf(pdf).trim())).toEqual(texts);
  expect(office.stats().processes.map(({ documents }) => documents > 0)).toEqual([true, true]);
});

/** A LibreOffice as some packages have it: without the library that the kit is in. */
async function withoutKit(): Promise<string> {
  const search = await findOffice();
  if ('missing' in search) throw new Error(search.missing);
  const program = join(temporaryFolder(), 'program');
  mkdirSync(program);
  for (const file of ['soffice.bin', 'bootstraprc'])
    symlinkSync(join(search.found.program, file), join(program, file));
  return program;
}

/** A service with an office, and its process in the middle of a document of several seconds. */
async function busyService(
  officePath: string[],
): Promise<{ service: ChildProcess; pid: number; workdir: string }> {
  const workdir = temporaryFolder();
  const file = join(workdir, 'long.docx');
  writeFileSync(file, longTable(6_000));
  const script = fileURLToPath(new URL('../test/parent.mjs', import.meta.url));
  const service = spawn(process.execPath, [script, workdir, file, ...officePath], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(service.stdout, 'data')) as [Buffer];
  const [pid = 0] = JSON.parse(line.toString()) as number[];
  const before = busyTime(pid);
  await until(() => expect(busyTime(pid) - before).toBeGreaterThan(10));
  return { service, pid, workdir };
}

/** soffice makes one whatever the temporary folder is. */
const sofficeSockets = (): string[] =>
  readdirSync('/tmp').filter((name) => name.includes('SingleOfficeIPC'));

const busyTime = (leader: number): number =>
  groupOf(leader).reduce((total, pid) => total + processorTime(pid), 0);

inFast.each(['kit', 'soffice'])(
  'when the service is killed, its %s ends at once; the next start removes the files',
  async (way) => {
    const sockets = sofficeSockets();
    const { service, pid, workdir } = await busyService(
      way === 'soffice' ? [await withoutKit()] : [],
    );
    service.kill('SIGKILL');
    await once(service, 'exit');
    await vi.waitFor(() => expect(groupOf(pid)).toEqual([]), { timeout: 3_000 });
    const left = () => readdirSync(workdir).filter((name) => name.startsWith('millrace-office-'));
    const [leftover] = left();
    expect(leftover).toBeDefined();
    const { office } = await openTestOffice({ workdir });
    expect(left()).toHaveLength(1);
    expect(left()).not.toContain(leftover);
    await office.close();
    expect(left()).toEqual([]);
    expect(sofficeSockets()).toEqual(sockets);
  },
);

inLong('a LibreOffice without its kit converts by soffice, and says what it cannot', async () => {
  const { office, seen } = await openTestOffice({ officePath: await withoutKit() });
  const { pdf } = await office.convert(pages('By soffice', 'Two'), { pdf: { pages: '1' } });
  expect(textOf(pdf).trim()).toBe('By soffice');
  expect(await office.check()).toMatchObject({
    ok: true,
    way: 'soffice',
    network: expect.arrayContaining(['filter']) as string[],
  });
  await expect(office.thumbnail(letter('x'), { width: 100 })).rejects.toMatchObject({
    code: 'unsupported_option',
  });
  const { pdf: locked } = await office.convert(letter('x'), { pdf: { password: 'p' } });
  expect(infoOf(locked, '-upw', 'p')).toContain('algorithm:AES-256');
  expect(seen.lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
});

inLong('soffice dies with the process that waits for it', async () => {
  const sockets = sofficeSockets();
  const { office } = await openTestOffice({ officePath: await withoutKit() });
  await office.check();
  const result = office.convert(longTable(50));
  const [{ pid } = { pid: 0 }] = office.stats().processes;
  await until(() => expect(groupOf(pid).length).toBeGreaterThan(1));
  const group = groupOf(pid);
  for (const other of group) process.kill(other, 'SIGSTOP'); // it must not end by itself
  process.kill(pid, 'SIGKILL');
  await until(() => expect(group.every(isGone)).toBe(true));
  expect(textOf((await result).pdf)).toContain('49 4');
  await office.close();
  expect(sofficeSockets()).toEqual(sockets);
});

inFast('without LibreOffice the office opens, and refuses', async () => {
  const { office, seen } = await openTestOffice({ officePath: '/nowhere' });
  expect(await office.check()).toMatchObject({
    ok: false,
    way: 'none',
    detail: expect.stringContaining('/nowhere') as string,
  });
  await expect(office.convert(letter('x'))).rejects.toMatchObject({
    code: 'office_missing',
    retryable: false,
  });
  expect(office.stats()).toMatchObject({ slots: 0, totalConversions: 0 });
  expect(seen.lines).toHaveLength(1);
});

inFast('a listener that throws ends nothing, and a limit of nothing is refused', async () => {
  const { office, seen } = await openTestOffice({
    onEvent: () => {
      throw new Error('not now');
    },
  });
  await office.convert(letter('x'));
  expect(seen.lines.filter(({ level }) => level === 'error').length).toBeGreaterThan(0);
  await expect(openTestOffice({ slots: 0 })).rejects.toThrow('slots must be 1 or more');
});

inFast('slots are what cores and memory carry, 8 at most', () => {
  const gigabyte = 1024 ** 3;
  expect(defaultSlots(2, 8 * gigabyte)).toBe(3);
  expect(defaultSlots(32, 64 * gigabyte)).toBe(8);
  expect(defaultSlots(8, gigabyte)).toBe(3);
  expect(defaultSlots(8, 100)).toBe(1);
});
