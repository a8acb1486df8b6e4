// The whole service: the server as a process of its own on a private Postgres, asked over HTTP for one document after
// another, then for a batch, with what the server says of where the time goes.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { startPostgres } from '../../scripts/services.mjs';
import { confirmPdf } from './converters.mjs';
import { dialects, invoiceData, invoiceTemplate } from './invoice.mjs';
import { startServer } from './server.mjs';
import { figure, median, percentile, table } from './stats.mjs';

const ROWS = 10;
const MOST_WARM_UP = 20;
const STEPS = ['template', 'merge', 'convert', 'store', 'total'];
/** How many jobs of a batch are sampled: their results hold timings. */
const SAMPLED = 100;

export async function main({ requests, rows }) {
  const postgres = await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  let server;
  try {
    server = await startServer({ DATABASE_URL: postgres.url }, folder);
    const client = createClient({ baseUrl: server.baseUrl });
    const bytes = new Uint8Array(invoiceTemplate(dialects.millrace));
    const upload = { type: DOCX_TYPE, bytes };
    const { lint } = await client.addTemplate({ params: { id: 'invoice' }, upload });
    if (!lint.ok) throw new Error(JSON.stringify(lint.problems));
    const single = await singles(server.baseUrl, requests);
    reportSingle(single);
    const batch = await batchOf(client, rows);
    reportBatch(batch);
    console.log(
      `\nresult: documents generate_p50_ms=${percentile(single.times, 0.5).toFixed(1)} ` +
        `generate_p95_ms=${percentile(single.times, 0.95).toFixed(1)} batch_per_s=${batch.perSecond.toFixed(2)}`,
    );
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
    await postgres.remove();
  }
}

/** One after another, each with data that no other has: nothing comes from the output cache. */
async function singles(baseUrl, requests) {
  const times = [];
  const steps = [];
  const warmUp = Math.min(MOST_WARM_UP, requests);
  for (let n = -warmUp; n < requests; n += 1) {
    const data = invoiceData(ROWS, 1_000_000 + n);
    const body = JSON.stringify({ templateId: 'invoice', outputFileName: `Invoice ${n}`, data });
    const started = performance.now();
    const response = await fetch(`${baseUrl}/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const ms = performance.now() - started;
    if (response.status !== 200) throw new Error(Buffer.from(bytes).toString());
    confirmPdf('POST /generate', bytes);
    if (n < 0) continue;
    times.push(ms);
    steps.push(serverTiming(response.headers.get('server-timing') ?? ''));
  }
  return { times, steps };
}

const serverTiming = (header) =>
  Object.fromEntries(
    [...header.matchAll(/(\w+);dur=([\d.]+)/g)].map(([, step, ms]) => [step, Number(ms)]),
  );

/** From the upload of the rows until the ZIP with all of them is here. */
async function batchOf(client, rows) {
  const lines = Array.from({ length: rows }, (_, n) =>
    JSON.stringify(invoiceData(ROWS, 2_000_000 + n)),
  );
  const bytes = `${lines.join('\n')}\n`;
  const started = performance.now();
  const { id, jobId } = await client.createBatch({
    query: { templateId: 'invoice', outputFileName: 'Invoice {{Invoice.Number}}' },
    upload: { type: 'application/x-ndjson', bytes },
  });
  const accepted = performance.now();
  for await (const event of client.events({ query: { id: jobId ?? '', topics: 'job' } }))
    if (event.type === 'job' && event.job.finishedAt !== null) break;
  const finished = performance.now();
  const params = { id };
  const zip = await (await client.downloadBatch({ params })).arrayBuffer();
  const ended = performance.now();
  const { counts, state } = await client.getBatch({ params });
  if (state !== 'FINISHED' || counts.succeeded !== rows)
    throw new Error(`the batch is ${state} with ${JSON.stringify(counts)}`);
  return {
    rows,
    steps: await batchSteps(client, params),
    upload: accepted - started,
    run: finished - accepted,
    download: ended - finished,
    size: zip.byteLength,
    perSecond: (rows * 1000) / (ended - started),
  };
}

/** After the clock has stopped. */
async function batchSteps(client, params) {
  const { items } = await client.listBatchItems({ params, query: { limit: SAMPLED } });
  const jobs = await Promise.all(
    items.map(({ jobId }) => client.getJob({ params: { id: jobId ?? '' } })),
  );
  if (jobs.some(({ result }) => result.cached)) throw new Error('a document came from the cache');
  return jobs.map(({ result }) => result.timings);
}

function reportSingle({ times, steps }) {
  console.log(
    `\nPOST /generate, ${figure(times.length)} different invoices of ${ROWS} rows, warm\n`,
  );
  const row = (name, values) => [
    name,
    ...[0.5, 0.95].map((share) => figure(percentile(values, share), 1)),
  ];
  console.log(
    table(
      ['', 'p50 ms', 'p95 ms'],
      [
        ...STEPS.map((step) => row(step, column(steps, step))),
        row(
          'HTTP and the client',
          times.map((ms, n) => ms - steps[n].total),
        ),
        row('all', times),
      ],
    ),
  );
}

function reportBatch({ rows, steps, upload, run, download, size, perSecond }) {
  const seconds = (ms) => figure(ms / 1000, 1);
  console.log(
    `\nA batch of ${figure(rows)}: ${seconds(upload)} s until it was accepted, ${seconds(run)} s until all were made, ` +
      `${seconds(download)} s for a ZIP of ${figure(size / 2 ** 20, 1)} MB; ${figure(perSecond, 1)} documents a second`,
  );
  console.log('of one document in it, median ms, waiting for a process included:');
  const line = STEPS.map((step) => `${step} ${figure(median(column(steps, step)), 1)}`);
  console.log(line.join(', '));
}

const column = (steps, step) => steps.map((each) => each[step]);
