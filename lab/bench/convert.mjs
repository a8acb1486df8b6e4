// DOCX to PDF: the pool of warm processes beside a soffice per document, and beside LibreOfficeKit without a pool.
// Then the memory of the pool's processes over many documents.

import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openOffice } from '@millrace/office';
import {
  confirmPdf,
  makeDocuments,
  openBareKit,
  openSoffice,
  writeDocuments,
} from './converters.mjs';
import { figure, median, percentile, ratio, spread, table } from './stats.mjs';

const VARIANTS = 40;
/** Conversions per kind and process before the clock starts: the first ones load fonts and code. */
const WARM_UP = 5;
/** A process that is replaced after 500 documents would not be replaced in a short run: four times per slot. */
const GENERATIONS = 4;
const MOST_DOCUMENTS = 500;
const LOG = { info() {}, warn: (_, text) => console.error(text), error: console.error };

export async function main({ documents: count, ...settings }) {
  const cores = availableParallelism();
  const folder = await mkdtemp(join(tmpdir(), 'millrace-bench-'));
  try {
    const kinds = [];
    for (const [name, documents] of Object.entries(await makeDocuments(VARIANTS))) {
      const files = await writeDocuments(join(folder, `kind-${kinds.length}`), documents);
      kinds.push({ name, documents, files, rounds: [] });
    }
    const { slots } = await speed({ folder, kinds, cores, ...settings });
    const mixed = Array.from({ length: VARIANTS }, (_, n) =>
      kinds.map((kind) => kind.documents[n]),
    );
    const memory = await memoryOf(mixed.flat(), { count, slots, workdir: folder });
    report(kinds, memory, { cores, slots });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** In each round everybody converts each kind, one after the other; each round begins with another. */
async function speed({ folder, kinds, cores, rounds, ...counts }) {
  const soffice = await openSoffice({ folder, lanes: cores, warmUp: kinds[0].files[0] });
  const bare = await openBareKit(
    folder,
    kinds.flatMap(({ files }) => files.slice(0, WARM_UP)),
  );
  const pool = await openOffice({ log: LOG, workdir: folder });
  const { way, detail } = await pool.check();
  if (way !== 'kit') throw new Error(`The pool has no LibreOfficeKit. ${detail ?? ''}`);
  const { slots } = pool.stats();
  for (const { documents } of kinds) {
    const warmUp = Array.from({ length: slots * WARM_UP }, (_, n) => documents[n % VARIANTS]);
    await Promise.all(warmUp.map((docx) => pool.convert(docx)));
  }
  const contenders = [
    (kind) => sofficeRound(soffice, kind.files, { cores, ...counts }),
    (kind) => poolAndBareRound(pool, bare, kind, counts),
  ];
  try {
    for (let round = 0; round < rounds; round += 1) {
      const order = round % 2 === 0 ? contenders : contenders.toReversed();
      for (const kind of kinds) {
        const figures = {};
        for (const measure of order) Object.assign(figures, await measure(kind));
        kind.rounds.push(figures);
        console.log(`round ${round + 1} of ${rounds}, ${kind.name}: ${line(figures)}`);
      }
    }
  } finally {
    await bare.end();
    await pool.close();
  }
  return { slots };
}

/** Some 20 times as slow, so it gets a tenth of the documents, and a seventh of those alone. */
async function sofficeRound(soffice, files, { cores, batch, singles }) {
  const count = Math.ceil(batch / 10);
  let next = 0;
  const started = performance.now();
  const lane = async (n) => {
    while (next < count) await soffice.convert(n, files[next++ % files.length]);
  };
  await Promise.all(Array.from({ length: cores }, (_, n) => lane(n)));
  const sofficeBatch = (count * 1000) / (performance.now() - started);
  const times = [];
  for (let n = 0; n < Math.ceil(singles / 7); n += 1)
    times.push(await timed(() => soffice.convert(0, files[n % files.length])));
  return { sofficeBatch, sofficeSingle: median(times) };
}

/**
 * A document alone through the pool and the same one bare, in turns within a second of each other, so that whatever
 * else the machine does meets both: the overhead is of a few milliseconds.
 */
async function poolAndBareRound(pool, bare, { documents, files }, { batch, singles }) {
  const [poolTimes, insideTimes, bareTimes] = [[], [], []];
  for (let n = 0; n < singles; n += 1) {
    const at = n % documents.length;
    const throughPool = async () => {
      const started = performance.now();
      const { loadMs, saveMs } = await convert(pool, documents[at], 'interactive');
      poolTimes.push(performance.now() - started);
      insideTimes.push(loadMs + saveMs);
    };
    const alone = async () => bareTimes.push(...(await bare.convert([files[at]])).times);
    for (const turn of n % 2 === 0 ? [throughPool, alone] : [alone, throughPool]) await turn();
  }
  const started = performance.now();
  await Promise.all(
    Array.from({ length: batch }, (_, n) =>
      convert(pool, documents[n % documents.length], 'batch'),
    ),
  );
  const poolBatch = (batch * 1000) / (performance.now() - started);
  const [poolSingle, inside] = [poolTimes, insideTimes].map(median);
  const [bareSingle, bareLoad, bareSave, bareClose] = ['whole', 'load', 'save', 'close'].map(
    (what) => median(bareTimes.map((times) => times[what])),
  );
  return { poolBatch, poolSingle, inside, bareSingle, bareLoad, bareSave, bareClose };
}

async function convert(pool, docx, lane) {
  const { pdf, timings } = await pool.convert(docx, { lane });
  confirmPdf('The pool', pdf);
  return timings;
}

async function timed(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** All slots busy until `count` documents are done. The size of a process is read after each document. */
async function memoryOf(documents, { count, slots, workdir }) {
  const recycle = Math.min(MOST_DOCUMENTS, Math.max(10, Math.ceil(count / slots / GENERATIONS)));
  const pool = await openOffice({
    log: LOG,
    workdir,
    slots,
    recycleAfter: { documents: recycle },
  });
  const samples = [];
  let started = 0;
  let done = 0;
  const lane = async () => {
    while (started < count) {
      await convert(pool, documents[started++ % documents.length], 'interactive');
      done += 1;
      for (const { pid, documents: made, rssMb } of pool.stats().processes)
        if (rssMb > 0 && made > 0) samples.push({ done, pid, made, rssMb });
      if (done % 500 === 0) console.log(`${figure(done)} of ${figure(count)} for the memory`);
    }
  };
  try {
    await Promise.all(Array.from({ length: slots }, lane));
    const { recycledProcesses, crashedProcesses } = pool.stats();
    return { samples, count, slots, recycle, recycledProcesses, crashedProcesses };
  } finally {
    await pool.close();
  }
}

/** The largest that a process was in each quarter of the run, and what a document adds to a process. */
function memoryFigures({ samples, count }) {
  const quarters = Array.from({ length: 4 }, (_, quarter) => {
    const sizes = samples
      .filter(({ done }) => Math.min(3, Math.floor(((done - 1) * 4) / count)) === quarter)
      .map(({ rssMb }) => rssMb);
    return Math.max(...sizes);
  });
  const perDocument = [...new Set(samples.map(({ pid }) => pid))].flatMap((process) => {
    const own = samples.filter(({ pid }) => pid === process);
    const [first, last] = [own[0], own.at(-1)];
    return last.made > first.made ? [(last.rssMb - first.rssMb) / (last.made - first.made)] : [];
  });
  return { quarters, growth: quarters[3] - quarters[0], perDocument: median(perDocument) };
}

/** Ratios of one round. The result has the mean of the kinds' medians. */
const RATIOS = {
  batch_vs_soffice: (round) => round.poolBatch / round.sofficeBatch,
  single_vs_soffice: (round) => round.sofficeSingle / round.poolSingle,
  overhead_vs_bare: (round) => round.poolSingle / round.bareSingle - 1,
};

const line = ({ sofficeBatch, poolBatch, sofficeSingle, poolSingle, bareSingle }) =>
  `batch ${figure(poolBatch, 1)} documents/s, soffice ${figure(sofficeBatch, 2)}; ` +
  `one ${figure(poolSingle, 1)} ms, soffice ${figure(sofficeSingle)}, bare ${figure(bareSingle, 1)}`;

function report(kinds, memory, { cores, slots }) {
  for (const { name, rounds } of kinds) {
    const column = (what, digits) => figure(median(rounds.map((round) => round[what])), digits);
    console.log(`\n${name}, medians of ${rounds.length} rounds\n`);
    console.log(
      table(
        ['', 'documents/s', 'one ms'],
        [
          [`the pool, ${slots} slots`, column('poolBatch', 1), column('poolSingle', 1)],
          ['  of it load and save', '', column('inside', 1)],
          ['LibreOfficeKit bare', '–', column('bareSingle', 1)],
          ['  load', '', column('bareLoad', 1)],
          ['  save', '', column('bareSave', 1)],
          ['  close', '', column('bareClose', 1)],
          [`soffice, ${cores} at once`, column('sofficeBatch', 2), column('sofficeSingle')],
        ],
      ),
    );
    console.log('\nIn the same round: median (lowest–highest)\n');
    for (const [ratioName, ratioOf] of Object.entries(RATIOS))
      console.log(`${ratioName}: ${spread(rounds.map(ratioOf))}`);
  }

  const { quarters, growth, perDocument } = memoryFigures(memory);
  const all = memory.samples.map(({ rssMb }) => rssMb);
  console.log(
    `\nMemory over ${figure(memory.count)} documents, ${memory.slots} slots, a process replaced after ` +
      `${memory.recycle}: ${memory.recycledProcesses} were replaced, ${memory.crashedProcesses} crashed`,
  );
  console.log(
    `a process has ${figure(percentile(all, 0.5))} MB (median); the largest of each quarter: ` +
      `${quarters.map((mb) => figure(mb)).join(', ')} MB; a document adds ${figure(perDocument, 2)} MB to its process`,
  );
  const result = Object.entries(RATIOS).map(([name, ratioOf]) => {
    const medians = kinds.map(({ rounds }) => median(rounds.map(ratioOf)));
    return `${name}=${ratio(medians.reduce((sum, value) => sum + value, 0) / medians.length)}`;
  });
  console.log(`\nresult: convert ${result.join(' ')} rss_growth_mb=${ratio(growth)}`);
}
