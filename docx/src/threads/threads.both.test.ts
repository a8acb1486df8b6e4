import { readFileSync, readdirSync } from 'node:fs';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { need } from '../../../scripts/need.mjs';
import { docx, p, partXml } from '../../test/builder.ts';
import { TemplateError } from '../errors.ts';
import { compile } from '../template.ts';
import { ThreadsBusy } from './pool.ts';
import { type Threads, type ThreadsParams, openThreads } from './threads.ts';
import { inFast, inLong } from '../../../scripts/suite.ts';

await need('build'); // threads run what is built

let opened: Threads[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const threads of opened.splice(0)) await threads.close();
});

function open(params: Partial<ThreadsParams> = {}): Threads {
  const threads = openThreads({ size: 1, ...params });
  opened.push(threads);
  return threads;
}

const LETTER = docx(p('Dear {{Name}}'));
/** 300,000 empty paragraphs in 5 kB: some 300 MB of tokens. */
const HEAVY = docx('<w:p/>'.repeat(300_000));
/** 900 KB of data, and for each of 10,000 tags all of it is added up: minutes. */
const ENDLESS = docx(p('{{sum L "a"}}'.repeat(10_000)));
const MANY = { L: Array.from({ length: 100_000 }, () => ({ a: 1 })) };

describe('templates in threads', () => {
  inFast('are linted, compiled and merged as they are without', async () => {
    const threads = open();
    expect(await threads.lint(LETTER)).toMatchObject({ ok: true, fields: [{ path: 'Name' }] });
    const template = await threads.compile(LETTER);
    expect(template).toMatchObject({ fields: [{ path: 'Name' }], hasImages: false });
    expect(await template.merge({ Name: 'Ann' })).toEqual(compile(LETTER).merge({ Name: 'Ann' }));
    const pictured = await threads.compile(docx(p('{{image Logo}}')));
    expect(await pictured.imagesNeeded({ Logo: 'https://example.com/a.png' })).toEqual([
      'https://example.com/a.png',
    ]);
  });

  test.runIf(process.platform === 'linux')(
    'leave the processor to the thread that answers requests',
    async () => {
      const niceOf = (thread: string) =>
        Number(
          readFileSync(`/proc/self/task/${thread}/stat`, 'utf8').split(') ')[1]?.split(' ')[16],
        );
      const own = niceOf(String(process.pid));
      const before = new Set(readdirSync('/proc/self/task'));
      const threads = open();
      await threads.lint(LETTER);
      const begun = readdirSync('/proc/self/task').filter((thread) => !before.has(thread));
      expect(begun.map(niceOf)).toContain(5);
      expect(niceOf(String(process.pid))).toBe(own);
    },
  );

  inFast('are refused with their own errors', async () => {
    const threads = open();
    const broken = docx(p('{{#if x}}'));
    await expect(threads.compile(broken)).rejects.toBeInstanceOf(TemplateError);
    await expect(threads.check(broken)).rejects.toMatchObject({
      code: 'unbalanced_block',
      part: 'word/document.xml',
      paragraph: 1,
    });
    expect(await threads.lint(broken)).toMatchObject({ ok: false });
    const template = await threads.compile(LETTER);
    const odd = template.merge({ Name: () => 'no data' });
    await expect(odd).rejects.toMatchObject({ code: 'bad_value' });
    expect(partXml(await template.merge({ Name: 'Ann' }))).toContain('Dear Ann');
  });

  inLong('that take too much memory end their thread and nothing else', async () => {
    const threads = open({ memoryMb: 60 });
    const template = await threads.compile(LETTER);
    await expect(threads.check(HEAVY)).rejects.toMatchObject({ code: 'too_complex' });
    const report = await threads.lint(HEAVY);
    expect(report).toMatchObject({ ok: false, problems: [{ code: 'too_complex' }] });
    // The thread that had compiled it is gone.
    expect(partXml(await template.merge({ Name: 'Ann' }))).toContain('Dear Ann');
  });

  inFast('that take too long are given up, and the next has a new thread', async () => {
    const threads = open({ timeoutMs: 3_000 });
    // The time of the test, or a busy machine would take too long for every template.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const endless = await threads.compile(ENDLESS);
    const merged = endless.merge(MANY);
    const refused = expect(merged).rejects.toMatchObject({ code: 'too_complex' });
    const after = threads.lint(LETTER);
    vi.advanceTimersByTime(3_000);
    await refused;
    expect(await after).toMatchObject({ ok: true });
  });

  inFast('that are pushed out of a thread are compiled there again', async () => {
    const threads = open({ cacheBytes: 1 });
    const [first, second] = [await threads.compile(LETTER), await threads.compile(LETTER)];
    for (const each of [first, second, first])
      expect(partXml(await each.merge({ Name: 'Ann' }))).toContain('Dear Ann');
  });

  inFast('wait for a thread, and are refused when too many do', async () => {
    const threads = open({ waiting: 2 });
    const asked = [1, 2, 3, 4].map(() => threads.lint(LETTER));
    const ended = await Promise.allSettled(asked);
    expect(ended.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    expect(ended[3]).toMatchObject({ reason: expect.any(ThreadsBusy) });
    expect(await threads.lint(LETTER)).toMatchObject({ ok: true });
  });

  inFast('are refused once the threads are closed, also those that wait', async () => {
    const threads = open();
    const asked = [threads.lint(LETTER), threads.lint(LETTER)];
    const ended = Promise.allSettled(asked);
    await threads.close();
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(threads.lint(LETTER)).rejects.toThrow('closed');
  });
});
