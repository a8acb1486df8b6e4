import { DOCX_TYPE } from '@millrace/documents/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { docx, p } from '../../docx/test/builder.ts';
import { type TestServer, startServer } from '../test/server.ts';

/** Templates made to take all the memory or all the time of the process, sent to a real one. */

let server: TestServer;
let address = '';

beforeAll(async () => {
  server = await startServer({});
  address = server.baseUrl;
}, 180_000);
afterAll(() => server.close());

const post = (path: string, body: Buffer | string, type: string): Promise<Response> =>
  fetch(`${address}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
const send = (path: string, bytes: Buffer): Promise<Response> => post(path, bytes, DOCX_TYPE);

/** How often health was answered before this was, up to six times: who went on asking would take half of the processor. */
async function healthAnswersDuring(asked: Promise<Response>): Promise<number> {
  let isOver = false;
  void asked.finally(() => (isOver = true));
  let answers = 0;
  while (answers < 6) {
    const { status } = await fetch(`${address}/healthz`);
    if (isOver) return answers;
    if (status === 200) answers += 1;
  }
  return answers;
}

test('44 kB that inflate to gigabytes of tokens are refused, and the process lives', async () => {
  const bomb = docx('<w:p/>'.repeat(4_950_000));
  expect(bomb.length).toBeLessThan(50_000);
  const [linted, added] = await Promise.all([send('/lint', bomb), send('/templates/bomb', bomb)]);
  expect(linted.status).toBe(200);
  expect(await linted.json()).toMatchObject({
    ok: false,
    problems: [{ severity: 'error', code: expect.stringMatching(/^too_/) }],
  });
  expect(added.status).toBe(400);
  expect(await added.json()).toMatchObject({ code: 'template_invalid', retryable: false });
  expect((await fetch(`${address}/healthz`)).status).toBe(200);
}, 180_000);

test('health is answered while a template is linted for a long time, and while a document is merged for a long time', async () => {
  const long = docx('<w:p/>'.repeat(40_000));
  const linting = send('/lint', long);
  expect(await healthAnswersDuring(linting)).toBeGreaterThan(5);
  expect((await linting).status).toBe(200);

  // Each of the tags adds up all of the rows.
  const sums = docx(p('{{sum L "a"}}'.repeat(300)));
  expect((await send('/templates/sums', sums)).status).toBe(201);
  const data = { L: Array.from({ length: 20_000 }, () => ({ a: 1 })) };
  const asked = JSON.stringify({ data, outputFormat: 'DOCX' });
  const merging = post('/templates/sums/preview', asked, 'application/json');
  expect(await healthAnswersDuring(merging)).toBeGreaterThan(5);
  expect((await merging).status).toBe(200);
}, 180_000);

test('a flood of hostile templates is answered in full, some of it with 503, and health meanwhile', async () => {
  const long = docx('<w:p/>'.repeat(6_000));
  const flood = Promise.all(Array.from({ length: 40 }, () => send('/lint', long)));
  expect(
    await healthAnswersDuring(flood.then(([first]) => first ?? Response.error())),
  ).toBeGreaterThan(5);
  const statuses = (await flood).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200, 503]));
  const refused = (await flood).find(({ status }) => status === 503);
  expect(await refused?.json()).toMatchObject({ code: 'busy', retryable: true });
  expect(refused?.headers.get('retry-after')).toMatch(/^\d+$/);
}, 180_000);
