// A person with a spreadsheet: 2,000 invoices from a CSV to a ZIP through the server, beside what the converter itself
// manages with the same documents and as many processes, before and after in the same run. And the server's memory
// meanwhile.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { compile } from '@millrace/docx';
import { openOffice } from '@millrace/office';
import { startPostgres } from '../../scripts/services.mjs';
import { confirmPdf } from './converters.mjs';
import { dialects, invoiceCsv, invoiceData, invoiceTemplate } from './invoice.mjs';
import { startServer } from './server.mjs';
import { figure, median } from './stats.mjs';

const ROWS = 10;
/** So that fonts, code and caches are loaded, and the heap has found its size. */
const MOST_WARM_UP = 200;
const EVERY_MS = 1_000;
const LOG = { info() {}, warn: (_, text) => console.error(text), error: console.error };

export async function main({ rows, bare: alone, embedded }) {
  const postgres = embedded ? null : await startPostgres();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  const template = invoiceTemplate(dialects.millraceColumns);
  let server;
  try {
    const before = await bare(template, folder, alone);
    server = await startServer(postgres === null ? {} : { DATABASE_URL: postgres.url }, folder);
    const client = createClient({ baseUrl: server.baseUrl });
    const upload = { type: DOCX_TYPE, bytes: new Uint8Array(template) };
    const { lint } = await client.addTemplate({ params: { id: 'invoice' }, upload });
    if (!lint.ok) throw new Error(JSON.stringify(lint.problems));
    const warmUp = Math.min(MOST_WARM_UP, rows);
    await batchOf(client, invoiceCsv(ROWS, 5_000_000, warmUp), warmUp);
    const memory = watchMemory(server.pid);
    const batch = await batchOf(client, invoiceCsv(ROWS, 6_000_000, rows), rows);
    const growth = await memory.growthMb();
    await server.stop();
    server = undefined;
    const after = await bare(template, folder, alone);
    report({ before, after, batch, growth, rows });
  } finally {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
    await postgres?.remove();
  }
}

/** Documents a second of the pool alone: merged before the clock runs, and kept nowhere. */
async function bare(template, workdir, count) {
  const compiled = compile(template);
  const pool = await openOffice({ log: LOG, workdir });
  try {
    const { slots } = pool.stats();
    const documents = Array.from({ length: count }, (_, n) => compiled.merge(flat(n)));
    await all(slots, documents.slice(0, slots * 10), (docx) => pool.convert(docx));
    const started = performance.now();
    await all(slots * 2, documents, async (docx) =>
      confirmPdf('the pool', (await pool.convert(docx)).pdf),
    );
    return { perSecond: (count * 1000) / (performance.now() - started), slots };
  } finally {
    await pool.close();
  }
}

function flat(seed) {
  const { Lines, ...data } = invoiceData(ROWS, seed);
  return { ...data, ...Object.fromEntries(Lines.map((line, n) => [`Line${n + 1}`, line])) };
}

/** So many at once, one after the other. */
async function all(lanes, items, work) {
  const left = items.values();
  const lane = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
}

/** From the upload of the rows until the ZIP with all of them is here. */
async function batchOf(client, csv, rows) {
  const started = performance.now();
  const { id, jobId } = await client.createBatch({
    query: { templateId: 'invoice', outputFileName: 'Invoice {{Invoice.Number}}' },
    upload: { type: 'text/csv', bytes: csv },
  });
  const accepted = performance.now();
  for await (const event of client.events({ query: { id: jobId ?? '', topics: 'job' } }))
    if (event.type === 'job' && event.job.finishedAt !== null) break;
  const finished = performance.now();
  const params = { id };
  let size = 0;
  for await (const chunk of (await client.downloadBatch({ params })).body) size += chunk.length;
  const ended = performance.now();
  const { counts } = await client.getBatch({ params });
  if (counts.succeeded !== rows) throw new Error(`the batch has ${JSON.stringify(counts)}`);
  return {
    size,
    upload: accepted - started,
    run: finished - accepted,
    download: ended - finished,
    perSecond: (rows * 1000) / (ended - started),
  };
}

/** Samples the memory of the server process, without the converters; compares the last quarter with the second. */
function watchMemory(pid) {
  const samples = [];
  const read = async () => {
    const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
    const [, kilobytes] = /VmRSS:\s+(\d+) kB/.exec(status) ?? [];
    if (kilobytes !== undefined) samples.push(Number(kilobytes) / 1024);
  };
  const timer = setInterval(() => void read(), EVERY_MS);
  return {
    async growthMb() {
      clearInterval(timer);
      await read();
      const quarter = Math.max(1, Math.floor(samples.length / 4));
      const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
      return {
        growth: median(late) - median(early.length > 0 ? early : samples),
        at: median(late),
      };
    },
  };
}

function report({ before, after, batch, growth, rows }) {
  const converter = (before.perSecond + after.perSecond) / 2;
  const seconds = (ms) => figure(ms / 1000, 1);
  console.log(
    `\nThe converter alone, ${before.slots} processes: ${figure(before.perSecond, 1)} documents a second before, ` +
      `${figure(after.perSecond, 1)} after`,
  );
  console.log(
    `A batch of ${figure(rows)} from a CSV: ${seconds(batch.upload)} s until it was accepted, ${seconds(batch.run)} s until all ` +
      `were made, ${seconds(batch.download)} s for a ZIP of ${figure(batch.size / 2 ** 20, 1)} MB; ${figure(batch.perSecond, 1)} documents a second`,
  );
  console.log(`The server has ${figure(growth.at, 0)} MB in the last quarter of it`);
  console.log(
    `\nresult: batch vs_bare_converter=${(batch.perSecond / converter).toFixed(2)} rss_growth_mb=${growth.growth.toFixed(0)}`,
  );
}
