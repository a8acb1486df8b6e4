import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { INVARIANTS, type Invariant, describeViolation } from './observe/invariants.ts';
import { type FaultCounts, createFaultCounts } from './world/link.ts';
import { runSeeds } from './seed-threads.ts';
import type { SimulationResult } from './simulation.ts';

/**
 * npm run simulate -- --seeds 5000               seeds 1 to 5000
 * npm run simulate -- --from 5001 --seeds 1000   the thousand after them
 * npm run simulate -- --seed 42 --trace          one seed, with everything that happened
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    threads: { type: 'string', default: String(availableParallelism()) },
    trace: { type: 'boolean', default: false },
  },
});

const from = whole('from', values.seed ?? values.from);
const count = values.seed === undefined ? whole('seeds', values.seeds) : 1;
const threads = values.trace ? 1 : whole('threads', values.threads);
const sums = {
  seeds: 0,
  jobs: 0,
  executions: 0,
  virtualMs: 0,
  violations: 0,
  faults: createFaultCounts(),
};
const failed: number[] = [];
const startedAt = performance.now();

await runSeeds({ from, count }, { threads, trace: values.trace, onResult });
tellSums();
process.exitCode = failed.length > 0 ? 1 : 0;

function whole(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) {
    console.error(`--${name} takes a whole number, not "${text}".`);
    process.exit(2);
  }
  return Number(text);
}

function onResult(result: SimulationResult): void {
  for (const line of result.lines) console.log(line);
  sums.seeds += 1;
  sums.jobs += result.jobs;
  sums.executions += result.executions;
  sums.virtualMs += result.virtualMs;
  sums.violations += result.violations.length;
  for (const name of faultNames()) sums.faults[name] += result.faults[name];
  if (result.violations.length > 0) tellViolations(result);
  if (values.seed !== undefined) console.log(`hash:         ${result.hash}`);
}

function tellViolations({ seed, violations }: SimulationResult): void {
  failed.push(seed);
  console.log(`seed ${seed}: ${violations.length} violations`);
  for (const violation of violations) console.log(`  ${describeViolation(violation)}`);
  const broken = new Set<Invariant>(violations.map(({ invariant }) => invariant));
  for (const invariant of broken) console.log(`  (${invariant}: ${INVARIANTS[invariant]})`);
}

function faultNames(): (keyof FaultCounts)[] {
  return Object.keys(sums.faults) as (keyof FaultCounts)[];
}

function tellSums(): void {
  const seconds = (performance.now() - startedAt) / 1_000;
  const faults = faultNames().reduce((sum, name) => sum + sums.faults[name], 0);
  console.log(
    `seeds:        ${sums.seeds} in ${seconds.toFixed(1)} s (${(sums.seeds / seconds).toFixed(0)}/s)`,
  );
  console.log(`virtual time: ${(sums.virtualMs / 3_600_000).toFixed(1)} h`);
  console.log(`jobs:         ${sums.jobs}, executed ${sums.executions} times`);
  console.log(
    `faults:       ${faultNames()
      .map((name) => `${name} ${sums.faults[name]}`)
      .join(', ')}`,
  );
  for (const seed of failed.toSorted((a, b) => a - b).slice(0, 20)) {
    console.log(`replay with:  npm run simulate -- --seed ${seed} --trace`);
  }
  console.log(
    `result: simulate seeds=${sums.seeds} faults=${faults} violations=${sums.violations}`,
  );
}
