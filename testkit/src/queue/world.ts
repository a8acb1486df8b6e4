import { type Events, type Queue, createEvents, createQueue, dependantsOf } from '@millrace/engine';
import { type MemoryDatabase, createMemoryDatabase } from '@millrace/store-memory';
import { type VirtualTime, createVirtualTime } from '../time/virtual-clock.ts';
import { type Breaks, createBreaks } from './breaks.ts';
import { type Drive, createDrive } from './drive.ts';
import { type Kinds, createKinds } from './kinds.ts';
import { type Settings, type TestQueueOptions, settingsOf } from './options.ts';
import { type Execution, type Processes, createProcesses } from './processes.ts';
import { type Runs, createRuns } from './runs.ts';
import { type Stretches, createStretches } from './stretches.ts';

/** The parts of a test queue. */
export interface TestWorld {
  readonly settings: Settings;
  readonly time: VirtualTime;
  readonly database: MemoryDatabase;
  readonly kinds: Kinds;
  readonly queue: Queue;
  readonly events: Events;
  readonly breaks: Breaks;
  readonly stretches: Stretches<Execution>;
  readonly runs: Runs;
  readonly processes: Processes;
  readonly drive: Drive;
}

export function createTestWorld(options: TestQueueOptions): TestWorld {
  const settings = settingsOf(options);
  const { jobs, services, rules, schedules, start, concurrency, patienceMs } = settings;
  const stretches = createStretches<Execution>({
    patienceMs,
    describe: ({ run: { run } }) => `The handler of "${run.kind}" (${run.id})`,
  });
  const time = createVirtualTime({ hold: stretches.hold });
  // A database counts in whole milliseconds.
  const storeNow = (): number => start + Math.floor(time.now());
  const database = createMemoryDatabase({ now: storeNow });
  const kinds = createKinds({ jobs, services });
  const { registry } = kinds;
  const dependants = dependantsOf(registry, rules);
  const events = createEvents();
  const breaks = createBreaks(time.now);
  const runs = createRuns();
  const processes = createProcesses({
    time,
    registry,
    services: kinds.services,
    schedules,
    concurrency,
    open: () => database.open({ dependants }),
    storeNow,
    breaks,
    stretches,
    runs,
    events,
  });
  const { peek } = database;
  const drive = createDrive({ time, peek, processes, runs, schedules, start });
  const queue = createQueue({ store: database.open({ dependants }), registry, events });
  return {
    settings,
    time,
    database,
    kinds,
    queue,
    events,
    breaks,
    stretches,
    runs,
    processes,
    drive,
  };
}
