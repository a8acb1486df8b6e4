import { startRedis } from '../../scripts/services.mjs';
import { onRedis } from './contenders/index.mjs';
import { measure } from './measure.mjs';
import { figure, median, ratio, spread, table } from './stats.mjs';

const BARE = ['bare', 'bareWithHistory'];

/** Our store on Redis beside bare BullMQ on the same Redis. See README.md. */
export async function main({ rounds, jobs, pickups }) {
  const redis = await startRedis({ settings: { appendonly: 'yes', appendfsync: 'everysec' } });
  try {
    report(await measureRounds({ redisAofUrl: redis.url }, { rounds, jobs, pickups }), jobs);
  } finally {
    await redis.remove();
  }
}

/** One object per round: contender → figures. Each round starts with another contender. */
async function measureRounds(urls, { rounds, jobs, pickups }) {
  const keys = Object.keys(onRedis);
  const results = [];
  for (let round = 0; round < rounds; round += 1) {
    const first = round % keys.length;
    const figures = {};
    for (const contender of [...keys.slice(first), ...keys.slice(0, first)]) {
      figures[contender] = await measure('queue', { contender, urls, jobs, pickups });
      const { name, keeps, enqueue, jobs: perSecond, p50, p99 } = figures[contender];
      console.log(
        `round ${round + 1} of ${rounds}: ${name} (${keeps}): ${figure(enqueue)} enqueued/s, ` +
          `${figure(perSecond)} jobs/s, pick-up ${figure(p50, 2)} / ${figure(p99, 2)} ms`,
      );
    }
    results.push(figures);
  }
  return results;
}

/** Compared with bare BullMQ under the settings that were better in that round. */
const RATIOS = {
  jobs_vs_bare: (round) => round.millraceOnRedis.jobs / most(round, 'jobs'),
  enqueue_vs_bare: (round) => round.millraceOnRedis.enqueue / most(round, 'enqueue'),
  pickup_p99_vs_bare: (round) =>
    round.millraceOnRedis.p99 / Math.min(...BARE.map((key) => round[key].p99)),
};

const most = (round, column) => Math.max(...BARE.map((key) => round[key][column]));

function report(rounds, jobs) {
  const rows = Object.keys(onRedis).map((key) => {
    const column = (name) => median(rounds.map((round) => round[key][name]));
    return [
      rounds[0][key].name,
      figure(column('enqueue')),
      figure(column('jobs')),
      figure(column('p50'), 2),
      figure(column('p99'), 2),
      rounds[0][key].keeps,
    ];
  });
  const header = ['', 'enqueue/s', 'jobs/s', 'pick-up p50 ms', 'p99 ms', 'keeps'];
  console.log(`\nMedians of ${rounds.length} rounds of ${figure(jobs)} jobs\n`);
  console.log(table(header, rows));
  const ratios = Object.entries(RATIOS).map(([name, of]) => [
    name,
    rounds.map((round) => of(round)),
  ]);
  console.log('\nMillrace to bare BullMQ in the same round: median (lowest–highest)\n');
  for (const [name, values] of ratios) console.log(`${name}: ${spread(values)}`);
  const result = ratios.map(([name, values]) => `${name}=${ratio(median(values))}`);
  console.log(`\nresult: bullmq ${result.join(' ')}`);
}
