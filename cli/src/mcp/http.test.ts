import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  type Agent,
  type Bridge,
  type Person,
  type RealService,
  GREETING,
  httpAgent,
  startBridge,
  startRealService,
} from '../../test/agents.ts';
import { tools } from './tools.ts';

/** The bridge is a process that is signed in as an admin: nothing of that may reach those who ask it. */

let real: RealService;
let bridge: Bridge;
const used: string[] = [];

beforeAll(async () => {
  real = await startRealService();
  bridge = await startBridge(real.url, await real.token('admin'));
}, 120_000);
afterAll(async () => {
  bridge.child.kill('SIGKILL');
  await real.close();
});

async function token(role: string, tenant?: string): Promise<string> {
  const made = await real.token(role, tenant);
  used.push(made);
  return made;
}

async function agentOf(bearer: string, person?: Person): Promise<Agent> {
  const agent = await httpAgent(bridge.address, bearer, person);
  onTestFinished(() => agent.client.close());
  return agent;
}

interface Answered {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** As no well-behaved client asks: fetch would not let a Host be set. */
function ask(
  headers: Record<string, string>,
  body: unknown = GREETING,
  { method = 'POST', path = '/mcp' } = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port: bridge.address.port,
        method,
        path,
        headers: { ...PLAIN, ...headers },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
        );
      },
    );
    asked.on('error', reject);
    asked.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

const PLAIN = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

test('the SDK’s client lists the tools and acts as whoever brought the token', async () => {
  const agent = await agentOf(await token('operator'));
  const { tools: listed } = await agent.client.listTools();
  expect(listed.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
  expect((await agent.call('whoami')).data).toMatchObject({ name: 'operator@acme' });
  const id = await real.waiting();
  const asked = await agent.call('cancel_job', { id });
  const done = await agent.call('cancel_job', { id, confirm: asked.data['confirm'] });
  expect(done.data).toEqual({ id, outcome: 'canceled' });
  expect(agent.complaints).toEqual([]);
});

test('a viewer may not, and another tenant finds nothing', async () => {
  const id = await real.waiting('acme');
  const viewer = await agentOf(await token('viewer'));
  expect(await viewer.call('enqueue', { kind: 'hello', data: { name: 'x' } })).toMatchObject({
    failed: true,
    data: { error: { code: 'role_missing' } },
  });
  const stranger = await agentOf(await token('operator', 'globex'));
  expect(await stranger.call('show_job', { id })).toMatchObject({
    failed: true,
    data: { error: { code: 'job_not_found' } },
  });
});

test('a person is asked over HTTP too', async () => {
  const id = await real.waiting();
  const questions: string[] = [];
  const agent = await agentOf(await token('operator'), (question) => {
    questions.push(question);
    return true;
  });
  expect((await agent.call('cancel_job', { id })).data).toEqual({ id, outcome: 'canceled' });
  expect(questions[0]).toContain(id);
});

test('nothing is saved where the caller is not', async () => {
  const agent = await agentOf(await token('operator'));
  const asked = { type: 'job', id: await real.waiting() };
  expect(await agent.call('download', { ...asked, saveAs: 'job.json' })).toMatchObject({
    failed: true,
    data: { error: { code: 'file_refused' } },
  });
  expect((await agent.call('download', asked)).links).toEqual([`${real.url}/jobs/${asked.id}`]);
});

describe('refused are', () => {
  test('callers without a token, or with an invalid one', async () => {
    expect(await ask({})).toMatchObject({ status: 401, headers: { 'www-authenticate': 'Bearer' } });
    expect((await ask({ authorization: 'Bearer nonsense' })).status).toBe(401);
    expect((await ask({ authorization: 'Basic abc' })).status).toBe(401);
  });

  test('names that resolve to this machine, and pages of web sites', async () => {
    const authorization = `Bearer ${await token('operator')}`;
    for (const headers of [
      { host: 'evil.example' },
      { host: `evil.example:${bridge.address.port}` },
      { host: '127.0.0.1' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ] as Record<string, string>[])
      expect((await ask({ authorization, ...headers })).status, JSON.stringify(headers)).toBe(403);
    const own = `http://127.0.0.1:${bridge.address.port}`;
    expect((await ask({ authorization, origin: own })).status).toBe(200);
    const named = await ask({ authorization, host: `localhost:${bridge.address.port}` });
    expect(named.status).toBe(200);
    expect(named.headers).not.toHaveProperty('access-control-allow-origin');
  });

  test('sessions of somebody else, and those that there are not', async () => {
    const own = `Bearer ${await token('operator')}`;
    const begun = await ask({ authorization: own });
    const session = String(begun.headers['mcp-session-id']);
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    const within = { 'mcp-session-id': session };
    expect((await ask({ authorization: own, ...within }, list)).status).toBe(200);
    // Renewed, of the same person.
    const renewed = `Bearer ${await token('operator')}`;
    expect((await ask({ authorization: renewed, ...within }, list)).status).toBe(200);
    const others = `Bearer ${await token('admin')}`;
    expect((await ask({ authorization: others, ...within }, list)).status).toBe(404);
    expect((await ask({ ...within }, list)).status).toBe(401);
    const made = { authorization: own, 'mcp-session-id': 'made-up' };
    expect((await ask(made, list)).status).toBe(404);
    const ended = await ask({ authorization: own, ...within }, '', { method: 'DELETE' });
    expect(ended.status).toBe(200);
    expect((await ask({ authorization: own, ...within }, list)).status).toBe(404);
  });

  test('more sessions than there is room for, at the cost of whoever has most', async () => {
    const quiet = await agentOf(await token('viewer'));
    const authorization = `Bearer ${await token('operator')}`;
    const first = await ask({ authorization });
    for (let more = 0; more < 64; more += 1) await ask({ authorization });
    const within = { authorization, 'mcp-session-id': String(first.headers['mcp-session-id']) };
    const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
    expect((await ask(within, list)).status).toBe(404);
    expect((await quiet.call('whoami')).data).toMatchObject({ name: 'viewer@acme' });
  });

  test('data that is nested beyond reason', async () => {
    const agent = await agentOf(await token('operator'));
    let data: unknown = 1;
    for (let depth = 0; depth < 1_000; depth += 1) data = [data];
    const said = await agent.call('enqueue', { kind: 'hello', data });
    expect(said.data).toMatchObject({ error: { code: 'invalid_arguments' } });
  });

  test('other paths, and bodies that are no message', async () => {
    const authorization = `Bearer ${await token('operator')}`;
    expect((await ask({ authorization }, GREETING, { path: '/' })).status).toBe(404);
    expect((await ask({ authorization }, 'no json')).status).toBe(400);
    expect(
      (await ask({ authorization }, { jsonrpc: '2.0', id: 1, method: 'tools/list' })).status,
    ).toBe(400);
    expect((await ask({ authorization }, ' '.repeat(5 * 1_024 * 1_024))).status).toBe(413);
  });
});

test('no token is ever written, and Ctrl-C ends it while clients are connected', async () => {
  await agentOf(await token('operator'));
  const ended = new Promise((resolve) => {
    bridge.child.on('exit', resolve);
  });
  bridge.child.kill('SIGINT');
  expect(await ended).toBe(130);
  const said = bridge.output();
  expect(said).toMatch(/^Serving the Model Context Protocol at http:\S+ for http:/);
  for (const each of used) expect(said).not.toContain(each);
});
