import { request } from 'node:http';
import { afterEach, expect, test, vi } from 'vitest';
import {
  type FaultBoard,
  type FaultSpec,
  type Site,
  createConsole,
  createFaults,
  createInside,
  faultsSection,
  html,
  isInside,
  json,
  openSite,
  settlePlace,
} from './index.ts';

/** The smallest simulator: a lamp that burns or does not. */

type LampFault = FaultSpec<'dark' | 'stuck'>;

interface Lamp {
  readonly origin: string;
  readonly faults: FaultBoard<LampFault>;
}

const open: Site[] = [];
afterEach(async () => {
  for (const site of open.splice(0)) await site.close();
});

async function startLamp(options: { host?: string; port?: number } = {}): Promise<Lamp> {
  const faults = createFaults<LampFault>({
    kinds: { dark: 'It gives 503.', stuck: 'It gives nothing until the fault is taken away.' },
    random: Math.random,
  });
  const { home, nothingHere } = createConsole('Lamp', [['/_sim/', 'Lamp']]);
  const inside = createInside({
    faults,
    nothingHere,
    home: (wrong) =>
      home({
        wrong,
        facts: [['Light', 'on']],
        beside: html``,
        faults: faultsSection(faults),
        standsInFor: 'a lamp',
      }),
  });
  const site = await openSite({
    place: settlePlace(options, 'It is on the lamp.'),
    requestMs: 10_000,
    longestBody: 1_000,
    misdirected: json(421, { error: 'misdirected' }),
    mistake: json(500, { error: 'mistake' }),
  });
  open.push(site);
  site.serve(async (asked, body) => {
    if (isInside(asked)) return inside(asked, body);
    if (asked.url === '/break') throw new Error('the lamp broke');
    if (asked.url === '/cut') return null;
    const strikes = faults.meet(asked.method ?? '', asked.url ?? '');
    await strikes.held('stuck');
    return strikes.strikes('dark') === null ? json(200, { light: true }) : json(503, {});
  });
  return { origin: site.origin, faults };
}

const post = (lamp: Lamp, path: string, body: string | URLSearchParams, origin = lamp.origin) =>
  fetch(lamp.origin + path, { method: 'POST', body, headers: { origin }, redirect: 'manual' });

test('answers are values; no answer is a cut, a mistake is 500 and in the log of the process', async () => {
  const lamp = await startLamp();
  const answer = await fetch(`${lamp.origin}/`);
  expect([answer.status, await answer.json()]).toEqual([200, { light: true }]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  await expect(fetch(`${lamp.origin}/cut`)).rejects.toThrow('fetch failed');
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const broken = await fetch(`${lamp.origin}/break`);
  expect([broken.status, await broken.json()]).toEqual([500, { error: 'mistake' }]);
  expect(warned).toHaveBeenCalledWith(expect.objectContaining({ message: 'the lamp broke' }));
  warned.mockRestore();
});

test('who sends too much is cut off, who calls it by another name is sent away', async () => {
  const lamp = await startLamp();
  await expect(post(lamp, '/', 'x'.repeat(1_001))).rejects.toThrow('fetch failed');
  expect((await post(lamp, '/', 'x'.repeat(1_000))).status).toBe(200);
  const status = await new Promise((resolve, reject) => {
    request(lamp.origin, { headers: { host: 'lamp.evil.test' } }, ({ statusCode }) =>
      resolve(statusCode),
    )
      .on('error', reject)
      .end();
  });
  expect(status).toBe(421);
});

test('faults are switched on the page', async () => {
  const lamp = await startLamp();
  const form = new URLSearchParams({ kind: 'dark', method: '', path: '^/$', times: '2' });
  const added = await post(lamp, '/_sim/faults', form);
  expect([added.status, added.headers.get('location')]).toEqual([303, '/_sim/']);
  expect((await fetch(`${lamp.origin}/`)).status).toBe(503);
  const page = await (await fetch(`${lamp.origin}/_sim/`)).text();
  expect(page).toContain('path ^/$, times 2');
  expect(page).toContain('It gives 503.');
  await post(lamp, '/_sim/faults/remove', new URLSearchParams({ id: '1' }));
  expect((await fetch(`${lamp.origin}/`)).status).toBe(200);
  const wrong = await post(lamp, '/_sim/faults', new URLSearchParams({ kind: '<b>' }));
  expect(wrong.status).toBe(400);
  expect(await wrong.text()).toContain('kind: give one of dark, stuck.');
});

test('faults are switched by programs', async () => {
  const lamp = await startLamp();
  const made = await post(lamp, '/_sim/api/faults', JSON.stringify({ kind: 'dark', every: 2 }));
  expect([made.status, await made.json()]).toEqual([
    201,
    { kind: 'dark', every: 2, id: 1, struck: 0 },
  ]);
  const statuses = [];
  for (let time = 0; time < 4; time += 1) statuses.push((await fetch(`${lamp.origin}/`)).status);
  expect(statuses).toEqual([200, 503, 200, 503]);
  const listed = await fetch(`${lamp.origin}/_sim/api/faults`);
  expect(await listed.json()).toMatchObject([{ struck: 2 }]);
  await fetch(`${lamp.origin}/_sim/api/faults`, { method: 'DELETE' });
  expect(lamp.faults.list()).toEqual([]);
});

test.each([
  ['no JSON', '{', 'no JSON'],
  ['a list', '[]', 'as a JSON object'],
  ['a misspelt member, which would strike everything', '{"kind":"dark","pth":"x"}', 'pth: '],
  ['a number for a method', '{"kind":"dark","method":5}', 'method: give a string'],
  ['a text for a number', '{"kind":"dark","times":"2"}', 'times: give a number'],
  ['a name of Object', '{"kind":"constructor"}', 'kind: give one of'],
  ['a broken pattern', '{"kind":"dark","path":"("}', 'path: '],
])('a fault is refused with a reason: %s', async (_, body, reason) => {
  const lamp = await startLamp();
  const answer = await post(lamp, '/_sim/api/faults', body);
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error_description: expect.stringContaining(reason),
  });
  expect(lamp.faults.list()).toEqual([]);
});

test('pages of other origins switch nothing', async () => {
  const lamp = await startLamp();
  const form = new URLSearchParams({ kind: 'dark' });
  expect((await post(lamp, '/_sim/faults', form, 'http://evil.test')).status).toBe(403);
  expect(lamp.faults.list()).toEqual([]);
});

test.each(['/_sim/nothing', '/_sim/%E0', '/_sim/%zz/a', '/_sim/api/nothing'])(
  'nothing at %s',
  async (path) => {
    expect((await fetch((await startLamp()).origin + path)).status).toBe(404);
  },
);

test('a fault that holds lets go when it is taken away', async () => {
  const lamp = await startLamp();
  const { id } = lamp.faults.add({ kind: 'stuck', path: '^/held$', times: 1 });
  const held = fetch(`${lamp.origin}/held`);
  while (lamp.faults.list()[0]?.struck !== 1) await fetch(`${lamp.origin}/`);
  lamp.faults.remove(id);
  expect((await held).status).toBe(200);
});

test.each([
  [{ host: '0.0.0.0' }, /^host: name one address\. It is on the lamp\.$/],
  [{ host: '[::]' }, /^host: /],
  [{ port: 65_536 }, /^port: /],
])('a place is refused: %o', async (options, message) => {
  await expect(startLamp(options)).rejects.toThrow(message);
});
