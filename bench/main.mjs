// node bench/main.mjs <subcommand> [options]. See README.md.

/** Subcommand → the module that exports `main(args)`. */
const subcommands = {
  queue: './queue.mjs',
  growth: './growth.mjs',
  bullmq: './bullmq.mjs',
  processes: './processes.mjs',
  embedded: './embedded.mjs',
  events: './events.mjs',
  telemetry: './telemetry.mjs',
  merge: './merge.mjs',
  convert: './convert.mjs',
  documents: './documents.mjs',
  batch: './batch.mjs',
  salesforce: './salesforce.mjs',
  queries: './queries.mjs',
  reports: './reports.mjs',
  console: './console.mjs',
};

const [name, ...args] = process.argv.slice(2);

if (Object.hasOwn(subcommands, name ?? '')) {
  const { main } = await import(subcommands[name]);
  await main(args);
} else {
  console.error(`Usage: node bench/main.mjs ${Object.keys(subcommands).join('|')} [options]`);
  process.exitCode = 1;
}
