import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { type Contract, contracts } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { docx, p } from '../../docx/test/builder.ts';
import { type TestServer, startServer } from '../test/server.ts';
import { isLong } from '../../scripts/need.mjs';

/**
 * What no caller of good will sends, to every route of the compiled process on a real Postgres: nothing may answer 500. The long
 * suite sends every value to every place that takes one. The fast one sends a twelfth: to every place one or more, and every
 * value to some places.
 */

const JOBS = `
import { defineJob, done } from '@millrace/engine';
import { z } from 'zod';
export const report = defineJob({ kind: 'report.monthly', input: z.unknown(), public: true, run: async () => done() });
`;

let server: TestServer;
let address = '';
/** Existing names by parameter, so that checks after the lookup are reached too. */
const known: Record<string, string> = {};

beforeAll(async () => {
  server = await startServer({}, (folder) => {
    mkdirSync(join(folder, 'jobs'));
    writeFileSync(join(folder, 'jobs/report.ts'), JOBS);
  });
  const { client } = server;
  address = server.baseUrl;
  const job = await client.enqueue({ body: { kind: 'report.monthly', delay: '1h' } });
  const { template } = await client.addTemplate({
    params: { id: 'invoice' },
    upload: { type: DOCX_TYPE, bytes: new Uint8Array(docx(p('{{Name}}'))) },
  });
  const batch = await client.createBatch({
    query: { templateId: 'invoice' },
    upload: { type: 'application/x-ndjson', bytes: '{"Name":"Ada"}\n' },
  });
  Object.assign(known, { jobs: job.id, templates: template.id, documents: batch.id });
}, 240_000);

afterAll(() => server.close());

interface Sent {
  readonly method: string;
  /** As it goes out: fetch would tidy it up. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

function send({ method, path, headers = {}, body }: Sent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(address);
    const type = body === undefined ? {} : { 'content-type': 'application/json' };
    const sent = request(
      { hostname, port, method, path, headers: { ...type, ...headers } },
      (response) => {
        const status = response.statusCode ?? 0;
        // A stream of events does not end.
        if (response.headers['content-type']?.startsWith('text/event-stream') === true) {
          response.destroy();
          resolve({ status, text: '' });
          return;
        }
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status, text: Buffer.concat(chunks).toString() }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

/** All that were answered in another way than they must be. */
async function wrong(all: readonly Sent[], isRight: (answer: Answer) => boolean) {
  const found: string[] = [];
  for (const each of all) {
    const answer = await send(each);
    if (isRight(answer)) continue;
    const asked = [each.method, each.path.slice(0, 120), JSON.stringify(each.headers ?? {})];
    const body = each.body === undefined ? '' : each.body.toString().slice(0, 200);
    found.push(`${asked.join(' ')} ${body} -> ${answer.status} ${answer.text.slice(0, 200)}`);
  }
  return found;
}

/** Errors about missing configuration, which no input causes. */
const LACKING = /"code":"(office_missing|busy)"/;
const isNo500 = ({ status, text }: Answer) => status < 500 || LACKING.test(text);
const is400 = ({ status }: Answer) => status === 400;

const routes = Object.values(contracts) as Contract[];

/** With names that are there, or could be. */
function pathOf({ path }: Contract): string {
  const [, first = ''] = path.split('/');
  return path.replaceAll(/:\w+/g, encodeURIComponent(known[first] ?? 'x'));
}

function bodyOf({ method, body, example, upload }: Contract): Pick<Sent, 'body' | 'headers'> {
  if (upload !== undefined)
    return { body: 'no bytes of ours', headers: { 'content-type': upload[0] } };
  if (method === 'GET' || body === undefined) return {};
  return { body: JSON.stringify(example.body ?? {}) };
}

function fieldsOf({ query }: Contract): string[] {
  return query instanceof z.ZodObject ? Object.keys(query.shape) : [];
}

const NO_TEXT = ['a%00b', '%00'];
const ODD = [
  ...NO_TEXT,
  // Half of a surrogate pair, an overlong form, half a character, and no hexadecimal number.
  '%ED%A0%80',
  '%C0%80',
  '%E2%82',
  '%',
  '%zz',
  '..',
  '%2e%2e%2f%2e%2e',
  '%2F',
  '.',
  '%20',
  '%0D%0Ax-injected:%201',
  'x'.repeat(3_000),
  '%F0%9F%92%A9'.repeat(200),
  '__proto__',
  'constructor',
  "'%22;--",
  '-1',
  '0',
  '1e400',
  'NaN',
  '9007199254740993',
  '9'.repeat(40),
  'pg-9223372036854775808',
  'pg-99999999999999999999',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T99:99:99Z',
  '+275760-09-13T00:00:00.001Z',
  '9999-12-31T23:59:59.999+23:59',
];

/** Each place, with all that is sent to it. */
type Places = readonly (readonly Sent[])[];

/** The fast suite sends one of so many, the long one the others. No more than the fewest values of a place, so that none is left out. */
const SHARE = 36;

function some(places: Places): Sent[] {
  return places.flatMap((sent, place) =>
    sent.filter((_, index) => ((place + index) % SHARE === 0) !== isLong),
  );
}

function inPaths(values: readonly string[]): Places {
  return routes
    .filter(({ path }) => path.includes(':'))
    .map((route) =>
      values.map((value) => ({
        method: route.method,
        path: route.path.replaceAll(/:\w+/g, value),
        ...bodyOf(route),
      })),
    );
}

function inQueries(queriesOf: (field: string) => readonly string[]): Places {
  return routes.flatMap((route) =>
    fieldsOf(route).map((field) =>
      queriesOf(field).map((query) => ({
        method: route.method,
        path: `${pathOf(route)}?${requiredBeside(route, field)}${query}`,
        ...bodyOf(route),
      })),
    ),
  );
}

/** The rest of the example, so that an odd filter is not masked by a missing one. */
function requiredBeside({ example }: Contract, field: string): string {
  const { [field]: _, ...others } = example.query ?? {};
  const given = new URLSearchParams({
    ...others,
    ...('templateId' in others && { templateId: 'invoice' }),
  }).toString();
  return given === '' ? '' : `${given}&`;
}

/** The example's body once for each place in it, with the value there. As text: JSON.stringify would repair some. */
function inBodies(values: readonly string[]): Places {
  return routes.flatMap((route) => {
    const { body } = bodyOf(route);
    if (typeof body !== 'string' || route.upload !== undefined) return [];
    const example: unknown = JSON.parse(body);
    const sent = { method: route.method, path: pathOf(route) };
    return [
      values.map((value) => ({ ...sent, body: value })),
      ...placesOf(example).map((place) => {
        const marked = JSON.stringify(withMark(example, place));
        return values.map((value) => ({ ...sent, body: marked.replace('"@@"', value) }));
      }),
    ];
  });
}

type Place = readonly (string | number)[];

function placesOf(value: unknown, at: Place = []): Place[] {
  if (typeof value !== 'object' || value === null) return [at];
  return Object.entries(value).flatMap(([name, inner]) => placesOf(inner, [...at, name]));
}

function withMark(value: unknown, [first, ...rest]: Place): unknown {
  if (first === undefined) return '@@';
  const inner = (value as Record<string, unknown>)[first];
  const changed = { [first]: withMark(inner, rest) };
  return Array.isArray(value)
    ? Object.assign([...value], changed)
    : { ...(value as object), ...changed };
}

test('there are routes with names, with filters and with bodies to try', () => {
  expect(inPaths(['x']).length).toBeGreaterThan(20);
  expect(inQueries((field) => [field]).length).toBeGreaterThan(30);
  expect(inBodies(['1']).length).toBeGreaterThan(20);
});

describe('a NUL character is 400 on every route', () => {
  test('in a name', async () => {
    expect(await wrong(inPaths(NO_TEXT).flat(), is400)).toEqual([]);
  });

  test('in a filter', async () => {
    const queries = (field: string) => NO_TEXT.map((value) => `${field}=${value}`);
    expect(await wrong(inQueries(queries).flat(), is400)).toEqual([]);
  });
});

test('no text in what a bulk action selects is 400', async () => {
  const bulk = inBodies(['"a\\u0000b"', '"\\ud800"'])
    .flat()
    .filter(
      ({ path, body = '' }) =>
        /^\/jobs\/(cancel|retry)$/.test(path) && body.toString().startsWith('{'),
    );
  expect(bulk.length).toBeGreaterThan(8);
  expect(await wrong(bulk, is400)).toEqual([]);
});

describe('nothing answers 500', () => {
  test('to odd names', { timeout: 120_000 }, async () => {
    expect(await wrong(some(inPaths(ODD)), isNo500)).toEqual([]);
  });

  test('to odd filters, given twice too', { timeout: 120_000 }, async () => {
    const queries = (field: string) => [
      ...ODD.map((value) => `${field}=${value}`),
      field,
      `${field}=a&${field}=b`,
      `${field}[]=a&${field}[b]=c`,
    ];
    expect(await wrong(some(inQueries(queries)), isNo500)).toEqual([]);
  });

  test('to odd bodies', { timeout: 120_000 }, async () => {
    const values = [
      '"a\\u0000b"',
      '"\\ud800"',
      '"\\udc00\\ud800"',
      '""',
      JSON.stringify('x'.repeat(5_000)),
      '"../../etc/passwd"',
      '1e999',
      '-1e999',
      '1e308',
      '-1',
      '0.5',
      '9007199254740993',
      'null',
      'true',
      '[]',
      '{}',
      '[null]',
      '{"__proto__":{"a":1}}',
      '{"constructor":{"prototype":{}}}',
      `${'['.repeat(20_000)}${']'.repeat(20_000)}`,
      `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`,
      'not json',
      '\uFEFF{}',
    ];
    expect(await wrong(some(inBodies(values)), isNo500)).toEqual([]);
  });

  test('to odd bytes where bytes are taken', { timeout: 120_000 }, async () => {
    const bytes = [
      Buffer.alloc(0),
      Buffer.from('{"Name":"a\\u0000b"}\n{"Name":"\\ud800"}\n'),
      Buffer.from('[{"Name":"a\\u0000b","\\u0000":1,"\\udc00":2}]'),
      Buffer.from('Name,\u0000\na\u0000b,c\n'),
      Buffer.from([0xff, 0xfe, 0x00, 0xd8, 0x0a, 0x00]),
      Buffer.from([0x4e, 0xff, 0xc0, 0x80, 0x0a, 0xed, 0xa0, 0x80]),
      Buffer.from('PK\u0003\u0004 and no more of it'),
      Buffer.from('{"Name":1e999}\n{"__proto__":{"a":1}}\nnull\n'),
      Buffer.from(`${'['.repeat(50_000)}\n`),
    ];
    const all = routes.flatMap((route) =>
      (route.upload ?? []).flatMap((type) =>
        bytes.map((body) => ({
          method: route.method,
          path: `${pathOf(route)}?${requiredBeside(route, '')}`,
          headers: { 'content-type': type },
          body,
        })),
      ),
    );
    expect(all.length).toBeGreaterThan(20);
    expect(await wrong(all, isNo500)).toEqual([]);
  });

  test('to odd headers', { timeout: 120_000 }, async () => {
    const headers: Record<string, string | string[]>[] = [
      { 'content-type': 'application/json; charset=klingon' },
      { 'content-type': '' },
      { 'content-type': 'application/json/json' },
      { 'content-encoding': 'gzip' },
      { 'x-correlation-id': ['a', 'b'] },
      { 'x-correlation-id': 'x'.repeat(200) },
      { traceparent: '00-00000000000000000000000000000000-0000000000000000-zz' },
      { traceparent: ['a', 'b'], tracestate: '=,=' },
      { range: `bytes=${'9'.repeat(40)}-` },
      { range: 'bytes=-0' },
      { range: 'bytes=5-1,,' },
      { accept: '\u00ff;q=x' },
      { 'if-none-match': '"' },
      { authorization: 'Bearer ' },
      { authorization: 'Basic \u00ff' },
      { expect: 'the-unexpected' },
      { origin: 'null' },
      { 'x-http-method-override': 'TRACE' },
    ];
    // Those that make a document take seconds, and their headers are everyone's.
    const quick = routes.filter(({ path }) => !/generate|preview/.test(path));
    const all = quick.map((route) =>
      headers.map((each) => {
        const { body, headers: own } = bodyOf(route);
        return {
          method: route.method,
          path: pathOf(route),
          headers: { ...own, ...each },
          ...(body !== undefined && { body }),
        };
      }),
    );
    expect(await wrong(some(all), isNo500)).toEqual([]);
  });

  test('to other methods', async () => {
    const methods = ['HEAD', 'PUT', 'PATCH', 'OPTIONS', 'TRACE', 'PROPFIND'];
    const all = routes
      .filter(({ media }) => media !== 'text/event-stream')
      .flatMap((route) => methods.map((method) => ({ method, path: pathOf(route) })));
    expect(await wrong(all, isNo500)).toEqual([]);
  });

  test('and the process is as well as before', async () => {
    expect(await send({ method: 'GET', path: '/healthz' })).toMatchObject({ status: 200 });
    const failed = server.started
      .output()
      .split('\n')
      .filter((line) => line.includes('request failed'));
    expect(failed.filter((line) => !LACKING.test(line))).toEqual([]);
  });
});
