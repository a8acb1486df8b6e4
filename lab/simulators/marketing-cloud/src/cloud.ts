import { type Clock, createClock, seededRandom } from '@millrace/simulator-kit';
import { type CallCounter, createCalls } from './calls.ts';
import { type Unit, addDataExtension, createUnit } from './data/account.ts';
import { type FaultBoard, createFaults } from './faults.ts';
import type { Settings } from './options.ts';
import { sampleDataExtensions } from './sql/sample.ts';
import { createDuckdbRunner } from './sql/runner.ts';
import type { Runner } from './sql/run-sql.ts';
import { type Tasks, createTasks } from './tasks.ts';
import { createTokens, type Tokens } from './auth/endpoint.ts';

/** An enterprise with its business units, and what is switched on and counted in it. */
export interface Cloud {
  readonly settings: Settings;
  readonly clock: Clock;
  readonly faults: FaultBoard;
  readonly counter: CallCounter;
  readonly tokens: Tokens;
  readonly units: ReadonlyMap<string, Unit>;
  readonly tasks: Tasks;
  readonly runner: Runner;
  /** The ids of queries, for SOAP's NewID. */
  nextQueryId(): number;
  /** Known once the server listens; without a slash at the end. */
  readonly home: { origin: string };
}

export function createCloud(settings: Settings): Cloud {
  const clock = createClock(settings.now, settings.speed);
  const faults = createFaults(seededRandom(settings.seed));
  const units = new Map<string, Unit>();
  const enterprise = settings.units[0]?.mid ?? '';
  for (const { mid, name = `Business unit ${mid}`, dataExtensions = [] } of settings.units) {
    const unit = createUnit({ mid, name, parent: mid === enterprise ? null : enterprise });
    const sample = settings.sample ? sampleDataExtensions(settings.seed, mid, clock.now()) : [];
    for (const spec of [...sample, ...dataExtensions]) {
      addDataExtension(unit, clock, spec);
    }
    units.set(mid, unit);
  }
  let queryIds = 400_000;
  const runner = runnerOf(settings, clock, units);
  return {
    settings,
    clock,
    faults,
    counter: createCalls(),
    tokens: createTokens(clock, settings),
    units,
    tasks: createTasks({ settings, clock, faults, units, run: runner.run }),
    runner,
    nextQueryId: () => (queryIds += 1),
    home: { origin: '' },
  };
}

function runnerOf(settings: Settings, clock: Clock, units: ReadonlyMap<string, Unit>): Runner {
  const { runSql } = settings;
  if (runSql === null) return createDuckdbRunner({ settings, clock, units });
  return { run: runSql, check: async () => {}, close: async () => {} };
}
