// Filling a template: Millrace beside docx-templates, docxtemplater and easy-template-x. Each engine has a process of
// its own that stays warm; they take turns, and each round begins with another.

import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { invoiceData, readDocx } from './invoice.mjs';
import { compilers, mergers } from './mergers.mjs';
import { serveRole, startRole } from './role.mjs';
import { figure, median, ratio, spread, table } from './stats.mjs';

const PEERS = Object.keys(mergers).filter((key) => !key.startsWith('millrace'));
/** The least that a turn merges: the slowest takes seconds for one. */
const TURN_MERGES = 2;
/** Different data for each merge, taken in turn; made before the clock runs. */
const VARIANTS = 8;

export async function main({ rounds, rows: wanted, turn: turnMs, 'warm-up': warmUpMs, invoices }) {
  const sizes = wanted.split(',').map(Number);
  const engines = {};
  try {
    for (const key of Object.keys(mergers)) {
      engines[key] = startRole(fileURLToPath(import.meta.url), key);
      await engines[key].ask({ sizes });
    }
    for (const rows of sizes) await verify(engines, rows);
    const measured = {};
    for (const rows of sizes)
      measured[rows] = await measureRounds(engines, rows, { rounds, turnMs, warmUpMs });
    const compiling = await measureCompiling(rounds, invoices);
    report(measured, { sizes, rounds, compiling, invoices });
  } finally {
    await Promise.all(Object.values(engines).map((engine) => engine.end()));
  }
}

/** The same rows and the same texts from all, before anything is measured. */
async function verify(engines, rows) {
  const reference = await engines.millrace.ask({ verb: 'read', rows });
  if (reference.rows !== rows + 1)
    throw new Error(`Millrace has ${reference.rows} rows, not ${rows + 1}`);
  for (const key of Object.keys(engines)) {
    const read = await engines[key].ask({ verb: 'read', rows });
    if (read.rows !== reference.rows)
      throw new Error(`${mergers[key].name} has ${read.rows} rows, not ${reference.rows}`);
    if (!isDeepStrictEqual(read.texts, reference.texts))
      throw new Error(`${mergers[key].name}: "${firstDifference(read.texts, reference.texts)}"`);
  }
  console.log(`${figure(rows)} rows: all give the same ${reference.texts.length} paragraphs`);
}

const firstDifference = (texts, expected) => {
  const at = texts.findIndex((text, n) => text !== expected[n]);
  return `${texts[at] ?? 'nothing'}" instead of "${expected[at] ?? expected[texts.length]}`;
};

async function measureRounds(engines, rows, { rounds, turnMs, warmUpMs }) {
  const keys = Object.keys(engines);
  for (const key of keys) await engines[key].ask({ verb: 'merge', rows, ms: warmUpMs });
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % keys.length;
    const figures = {};
    for (const key of [...keys.slice(first), ...keys.slice(0, first)])
      figures[key] = await engines[key].ask({ verb: 'merge', rows, ms: turnMs });
    results.push(figures);
    const line = keys.map((key) => `${mergers[key].name} ${figure(figures[key].ms, 2)}`);
    console.log(`round ${round + 1} of ${rounds}, ${figure(rows)} rows, ms: ${line.join(', ')}`);
  }
  return results;
}

/** In a process of its own each time: milliseconds of a processor, for the first one and for one of those after it. */
async function measureCompiling(rounds, invoices) {
  const figures = Object.fromEntries(Object.keys(compilers).map((key) => [key, []]));
  for (let round = 0; round < rounds; round += 1)
    for (const key of Object.keys(compilers)) {
      const engine = startRole(fileURLToPath(import.meta.url), `compile ${key}`);
      figures[key].push(await engine.ask({ sizes: [] }).then(() => engine.ask({ invoices })));
      await engine.end();
    }
  return figures;
}

function report(measured, { sizes, rounds, compiling, invoices }) {
  const rows = Object.entries(mergers).map(([key, { name }]) => {
    const column = (size, what) => median(measured[size].map((round) => round[key][what]));
    const times = sizes.map((size) => figure(column(size, 'ms'), 2));
    return [name, ...times, ...sizes.map((size) => figure(column(size, 'bytes') / 1024))];
  });
  const header = ['', ...sizes.map((n) => `${n} rows ms`), ...sizes.map((n) => `${n} rows KB`)];
  console.log(`\nOne merge, medians of ${rounds} rounds\n`);
  console.log(table(header, rows));

  console.log('\nTimes as fast as the fastest peer of the same round: median (lowest–highest)\n');
  const ratios = (size, key) =>
    measured[size].map((round) => Math.min(...PEERS.map((peer) => round[peer].ms)) / round[key].ms);
  for (const size of sizes) {
    console.log(`${figure(size)} rows: ${spread(ratios(size, 'millrace'))}`);
    console.log(`  (compiled each time: ${spread(ratios(size, 'millraceCold'))})`);
  }
  console.log(`\nReading a template of ${invoices} invoices, without a merge: CPU ms, medians\n`);
  const cpu = (key, what) => median(compiling[key].map((each) => each[what]));
  console.log(
    table(
      ['', 'first', 'one of ten after it'],
      Object.keys(compiling).map((key) => [
        key,
        ...['first', 'later'].map((what) => figure(cpu(key, what))),
      ]),
    ),
  );
  const result = sizes.map(
    (size) => `rows${size}_vs_best=${ratio(median(ratios(size, 'millrace')))}`,
  );
  const read = cpu('docxtemplater', 'later') / cpu('Millrace', 'later');
  console.log(`\nresult: merge ${result.join(' ')} reading_vs_docxtemplater=${ratio(read)}`);
}

/** One engine in its process. */
function open(key, sizes) {
  const merge = mergers[key].open();
  const variants = Object.fromEntries(
    sizes.map((rows) => [
      rows,
      Array.from({ length: VARIANTS }, (_, seed) => invoiceData(rows, seed)),
    ]),
  );
  return async ({ verb, rows, ms }) => {
    const data = variants[rows];
    if (verb === 'read') return readDocx(Buffer.from(await merge(data[1])));
    const started = performance.now();
    let [merges, bytes] = [0, 0];
    while (merges < TURN_MERGES || performance.now() - started < ms) {
      const docx = await merge(data[merges % VARIANTS]);
      merges += 1;
      bytes += docx.length;
    }
    return { ms: (performance.now() - started) / merges, bytes: bytes / merges };
  };
}

/** One engine that reads templates, in its process. */
function openCompiler(key) {
  return ({ invoices }) => {
    const read = compilers[key](invoices);
    const cpuOf = (times) => {
      const before = process.cpuUsage();
      for (let n = 0; n < times; n += 1) read();
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 / times;
    };
    const first = cpuOf(1);
    cpuOf(10); // warm
    return { first, later: cpuOf(10) };
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  serveRole(async ({ sizes }) => {
    const [, engine] = process.argv[2].split('compile ');
    return engine === undefined ? open(process.argv[2], sizes) : openCompiler(engine);
  });
