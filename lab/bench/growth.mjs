import pg from 'pg';
import { startPostgres } from '../../scripts/services.mjs';
import { measure } from './measure.mjs';
import { figure, median, ratio, spread, table } from './stats.mjs';

/** What `queued_1m` is compared with: a tenth of it, where that is less. */
const FEW = 10_000;
const fewOf = (rows) => Math.min(FEW, rows / 10);

/** What stands in the tables beside the jobs that run, or whose jobs they are, and the case that each is compared with. */
const CASES = {
  none: { title: 'nothing else', fill: 'none' },
  queued_10k: { title: 'queued, few', fill: 'queued', isFew: true },
  queued_1m: { title: 'queued, many', fill: 'queued' },
  finished_1m: { title: 'finished', fill: 'finished' },
  future_1m: { title: 'in the future, of high priority', fill: 'future' },
  capped_1m: { title: 'of a capped and of a paused kind, in front', fill: 'capped' },
  tenants_10k: {
    title: 'nothing else; the jobs are those of 10,000 tenants',
    fill: 'none',
    work: { tenants: 10_000 },
  },
  tenants_1k: {
    title: 'nothing else; the jobs are those of 1,000 tenants',
    fill: 'none',
    work: { tenants: 1_000 },
  },
  quota_1k: {
    title: 'the same, each with a quota of 100 running jobs',
    fill: 'none',
    work: { tenants: 1_000, kind: 'limited' },
  },
};
/** The database that a case begins with: where there is nothing else, one will do. */
const templateOf = (name) => (CASES[name].fill === 'none' ? 'none' : name);
const RATIOS = {
  queued_1m_vs_10k: ['queued_1m', 'queued_10k'],
  finished_1m_vs_none: ['finished_1m', 'none'],
  future_1m_vs_none: ['future_1m', 'none'],
  capped_1m_vs_none: ['capped_1m', 'none'],
  tenants_10k_vs_1: ['tenants_10k', 'none'],
  quota_1k_vs_none: ['quota_1k', 'tenants_1k'],
};

/** Does Millrace stay as fast beside a million other rows, and with thousands of tenants? */
export async function main({ rounds, jobs, rows }) {
  const postgres = await startPostgres();
  const admin = new pg.Client(postgres.url);
  await admin.connect();
  try {
    await fillAll({ admin, url: postgres.url, rows });
    report(await measureRounds({ admin, url: postgres.url, rounds, jobs }), rows);
  } finally {
    await admin.end();
    await postgres.remove();
  }
}

/** Each is built once; every measurement then works on a copy of its own. */
async function fillAll({ admin, url, rows: many }) {
  for (const [name, { title, fill, isFew }] of Object.entries(CASES)) {
    if (templateOf(name) !== name) continue;
    const rows = isFew ? fewOf(many) : many;
    await admin.query(`create database ${name}`);
    await measure('fill', { urls: urlsOf(url, name), what: fill, rows });
    console.log(`ready: ${title}${fill === 'none' ? '' : `, ${figure(rows)} rows`}`);
  }
}

async function measureRounds({ admin, url, rounds, jobs }) {
  const names = Object.keys(CASES);
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % names.length;
    const figures = {};
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      await admin.query(`create database copy template ${templateOf(name)} strategy file_copy`);
      const { work } = CASES[name];
      const { jobs: rate } = await measure('throughput', { urls: urlsOf(url, 'copy'), jobs, work });
      await admin.query('drop database copy with (force)');
      figures[name] = rate;
      console.log(`round ${round + 1} of ${rounds}: ${CASES[name].title}: ${figure(rate)} jobs/s`);
    }
    results.push(figures);
  }
  return results;
}

const urlsOf = (url, database) => ({
  databaseUrl: Object.assign(new URL(url), { pathname: `/${database}` }).href,
});

function report(rounds, many) {
  const body = Object.entries(CASES).map(([name, { title, fill, isFew }]) => [
    title,
    figure(fill === 'none' ? 0 : isFew ? fewOf(many) : many),
    figure(median(rounds.map((round) => round[name]))),
  ]);
  console.log(`\nMedians of ${rounds.length} rounds\n`);
  console.log(table(['beside the jobs that run', 'rows', 'jobs/s'], body));

  const ratios = Object.entries(RATIOS).map(([name, [some, base]]) => [
    name,
    rounds.map((round) => round[some] / round[base]),
  ]);
  console.log(
    '\nThroughput to that of the other case in the same round: median (lowest–highest)\n',
  );
  for (const [name, values] of ratios) console.log(`${name}: ${spread(values)}`);
  const result = ratios.map(([name, values]) => `${name}=${ratio(median(values))}`);
  console.log(`\nresult: growth ${result.join(' ')}`);
}
