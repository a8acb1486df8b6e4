import pg from 'pg';
import { startPostgres, startRedis } from '../../scripts/services.mjs';
import { contenders } from './contenders/index.mjs';
import { measure } from './measure.mjs';
import { figure, median, ratio, spread, table } from './stats.mjs';

const GRAPHILE = ['graphile', 'graphileLarge'];
const PG_BOSS = ['pgBossLoop', 'pgBossWork'];
const BULLMQ = ['bullmq', 'bullmqAof'];
const PEERS = Object.keys(contenders).filter((key) => key !== 'millrace');

/** Millrace beside the others on the same servers. See README.md for what is fair about it. */
export async function main(settings) {
  const servers = await startServers();
  try {
    report(await measureRounds(servers.urls, settings), settings);
  } finally {
    await servers.stop();
  }
}

async function startServers() {
  const started = [
    await startPostgres(),
    await startRedis(),
    await startRedis({ settings: { appendonly: 'yes', appendfsync: 'everysec' } }),
  ];
  const [databaseUrl, redisUrl, redisAofUrl] = started.map(({ url }) => url);
  return {
    urls: { databaseUrl, redisUrl, redisAofUrl },
    stop: () => Promise.all(started.map((server) => server.remove())),
  };
}

/** One object per round: contender → figures. Each round starts with another contender. */
async function measureRounds(urls, { rounds, jobs, pickups }) {
  const keys = Object.keys(contenders);
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % keys.length;
    const figures = {};
    for (const contender of [...keys.slice(first), ...keys.slice(0, first)]) {
      figures[contender] = await inDatabase(urls, (own) =>
        measure('queue', { contender, urls: own, jobs, pickups }),
      );
      console.log(`round ${round + 1} of ${rounds}: ${line(figures[contender])}`);
    }
    results.push(figures);
  }
  return results;
}

/** A database of its own for each measurement: nothing left by others to analyse or to vacuum. */
async function inDatabase(urls, work) {
  const admin = new pg.Client(urls.databaseUrl);
  await admin.connect();
  try {
    await admin.query('create database contest');
    const own = Object.assign(new URL(urls.databaseUrl), { pathname: '/contest' });
    return await work({ ...urls, databaseUrl: own.href });
  } finally {
    await admin.query('drop database if exists contest with (force)');
    await admin.end();
  }
}

const line = ({ name, enqueue, jobs, p50, p99, wal }) =>
  `${name}: ${figure(enqueue)} enqueued/s, ${figure(jobs)} jobs/s, ` +
  `pick-up ${figure(p50, 2)} / ${figure(p99, 2)} ms, ${figure(wal)} B of WAL per job`;

function report(rounds, { jobs }) {
  const rows = Object.keys(contenders).map((key) => {
    const column = (name) => median(rounds.map((round) => round[key][name]));
    return [
      rounds[0][key].name,
      figure(column('enqueue')),
      figure(column('jobs')),
      figure(column('p50'), 2),
      figure(column('p99'), 2),
      figure(column('wal')),
      rounds[0][key].keeps,
    ];
  });
  const header = ['', 'enqueue/s', 'jobs/s', 'pick-up p50 ms', 'p99 ms', 'WAL B/job', 'keeps'];
  console.log(`\nMedians of ${rounds.length} rounds of ${figure(jobs)} jobs\n`);
  console.log(table(header, rows));

  const ratios = Object.fromEntries(
    Object.entries(RATIOS).map(([name, of]) => [name, rounds.map((round) => of(round))]),
  );
  console.log('\nMillrace to the peer in the same round: median (lowest–highest)\n');
  for (const [name, values] of Object.entries(ratios)) console.log(`${name}: ${spread(values)}`);
  const at500 = rounds.map((round) => round.millrace.jobs / round[GRAPHILE[0]].jobs);
  console.log(`(jobs_vs_graphile with its local queue at 500: ${spread(at500)})`);
  const result = Object.entries(ratios).map(([name, values]) => `${name}=${ratio(median(values))}`);
  console.log(`\nresult: queue ${result.join(' ')}`);
}

/** Compared with each peer under the settings that were better in that round. */
const RATIOS = {
  jobs_vs_graphile: (round) => round.millrace.jobs / best(round, 'jobs', GRAPHILE),
  jobs_vs_pgboss: (round) => round.millrace.jobs / best(round, 'jobs', PG_BOSS),
  jobs_vs_bullmq: (round) => round.millrace.jobs / best(round, 'jobs', BULLMQ),
  enqueue_vs_graphile: (round) => round.millrace.enqueue / best(round, 'enqueue', GRAPHILE),
  pickup_p99_vs_best: (round) => round.millrace.p99 / quickest(round, PEERS),
  pickup_p99_vs_best_postgres: (round) =>
    round.millrace.p99 / quickest(round, [...GRAPHILE, ...PG_BOSS, 'graphileDefaults']),
};

const best = (round, column, keys) => Math.max(...keys.map((key) => round[key][column]));
const quickest = (round, keys) =>
  Math.min(...keys.map((key) => round[key].p99).filter((p99) => Number.isFinite(p99)));
