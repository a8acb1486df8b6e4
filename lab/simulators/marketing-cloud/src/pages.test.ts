import { expect, test } from 'vitest';
import { MID, startWorld, type World } from '../test/world.ts';
import { startLazily } from './lazy.ts';

const look = async (world: World, path: string) => {
  const answer = await fetch(world.origin + path);
  return { status: answer.status, text: await answer.text() };
};
const post = (world: World, path: string, body: string | URLSearchParams) =>
  fetch(world.origin + path, { method: 'POST', body, redirect: 'manual' });

test('people look inside: business units, data extensions with rows, queries, tasks, calls', async () => {
  const world = await startWorld();
  const id = await world.makeQuery("SELECT '<b>' AS name");
  await world.rest('POST', `/automation/v1/queries/${id}/actions/start/`);
  await world.settled();
  const home = await look(world, '/_sim/');
  expect(home.text).toContain(`/_sim/unit/${MID}`);
  expect(home.text).toContain('soap:Create DataExtension');
  expect(home.text).toContain('stuck-queued');
  const unit = await look(world, `/_sim/unit/${MID}`);
  const links = [...unit.text.matchAll(/href="(\/_sim\/unit\/[^"]+)"/g)].map(([, to = '']) => to);
  expect(links).toHaveLength(2);
  const [dataExtension, query] = await Promise.all(links.map((link) => look(world, link)));
  expect(dataExtension?.text).toContain('<td>Ada</td>');
  expect(query?.text).toContain('SELECT &#39;&lt;b&gt;&#39; AS name');
  expect((await look(world, '/_sim/tasks')).text).toContain('Complete');
  expect((await look(world, '/_sim/calls')).text).toContain('rest:start');
  for (const path of ['unit/5', `unit/${MID}/de/x`, 'nothing']) {
    expect((await look(world, `/_sim/${path}`)).status).toBe(404);
  }
});

test('the page switches faults, moves the clock and ends tokens', async () => {
  const world = await startWorld();
  await post(
    world,
    '/_sim/faults',
    new URLSearchParams({ kind: 'throttled', operation: 'rest:', seconds: '7' }),
  );
  const throttled = await world.rest('GET', '/automation/v1/queries');
  expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '7']);
  await post(world, '/_sim/faults/remove', new URLSearchParams({ id: '1' }));
  const before = world.now();
  await post(world, '/_sim/advance', new URLSearchParams({ seconds: '60' }));
  expect(world.now()).toBe(before + 60_000);
  await post(world, '/_sim/tokens/expire', '');
  expect((await world.rest('GET', '/automation/v1/queries')).status).toBe(401);
});

test('programs see the same', async () => {
  const world = await startWorld({ queueMs: 1000 });
  const taskId = await world.startQuery('SELECT 1 AS name');
  const api = async (path: string) => JSON.parse((await look(world, `/_sim/api/${path}`)).text);
  expect(await api('tasks')).toMatchObject([{ id: taskId, status: 'Queued', query: 'qt1' }]);
  const moved = await post(world, '/_sim/api/advance', JSON.stringify({ ms: 1000 }));
  expect(await moved.json()).toMatchObject({ now: world.now() });
  await world.taskEnded(taskId);
  expect(await api('tasks')).toMatchObject([{ status: 'Complete', rowCount: 1 }]);
  expect(await api('calls')).toMatchObject({ calls: { byOperation: { 'auth:token': 1 } } });
  expect((await post(world, '/_sim/api/advance', '{"ms":-1}')).status).toBe(400);
});

test('behind an address that is there at once', async () => {
  const lazy = await startLazily({ clients: [{ clientId: 'a', secret: 'b' }], sample: false });
  const body = JSON.stringify({
    grant_type: 'client_credentials',
    client_id: 'a',
    client_secret: 'b',
  });
  const [first, second] = await Promise.all(
    [1, 2].map(() => fetch(`${lazy.origin}/v2/token`, { method: 'POST', body })),
  );
  expect([first?.status, second?.status]).toEqual([200, 200]);
  expect(await first?.json()).toMatchObject({ rest_instance_url: `${lazy.origin}/` });
  await lazy.close();
  await (await startLazily()).close();
});
