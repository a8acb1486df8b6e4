import type { Action } from './scenario/actions.ts';
import { checkTheEnd } from './observe/final-checks.ts';
import type { Violation } from './observe/invariants.ts';
import type { FaultCounts } from './world/link.ts';
import type { SimulatedProcess } from './world/process.ts';
import { watchPromptness } from './observe/promptness.ts';
import { Livelock } from './time/virtual-clock.ts';
import { type Sabotage, type World, createWorld } from './world/world.ts';

export interface SimulationResult {
  readonly seed: number;
  readonly violations: readonly Violation[];
  readonly faults: FaultCounts;
  readonly jobs: number;
  readonly executions: number;
  readonly virtualMs: number;
  /** The same for the same seed, always. */
  readonly hash: string;
  /** Only when asked for. */
  readonly lines: readonly string[];
}

const STEP_MS = 1_000;
/** Nothing that a scenario draws takes longer once it is left in peace. */
const REST_WITHIN_MS = 3_600_000;
const BROKEN_REST_WITHIN_MS = 120_000;
/** By then everything that was sent before the calm has arrived. */
const REST_AFTER_MS = 10_000;
const RESUME_ALL_AFTER_MS = 15_000;
/** The time that a stop may take beyond its grace: two rounds of aborts, and the writing. */
const STOP_SLACK_MS = 20_000;

/** One seed from its first request to the last check. */
export async function simulate(
  seed: number,
  options: { trace?: boolean; sabotage?: Sabotage } = {},
): Promise<SimulationResult> {
  const world = createWorld(seed, {
    trace: options.trace ?? false,
    sabotage: options.sabotage ?? {},
  });
  const { violations } = world;
  const onRejection = (reason: unknown): void => violations.add('noRejection', String(reason));
  process.on('unhandledRejection', onRejection);
  try {
    await chaos(world);
    await calm(world);
    await stopAll(world);
    await checkTheEnd(world);
    // Rejections that nobody hears are reported only when the process has nothing else to do.
    await new Promise((resolve) => setImmediate(resolve));
  } catch (error) {
    if (!(error instanceof Livelock)) throw error;
    violations.add('noLivelock', error.message);
  } finally {
    process.off('unhandledRejection', onRejection);
  }
  return {
    seed,
    violations: violations.all,
    faults: world.counts,
    jobs: world.ledger.jobs.size,
    executions: world.executions.all.length,
    virtualMs: world.time.now(),
    hash: world.trace.hash(),
    lines: world.trace.lines,
  };
}

async function chaos(world: World): Promise<void> {
  const { time, scenario, fleet, client, dice } = world;
  const starts = dice.fork('starts');
  for (const place of scenario.workers.keys())
    time.after(starts.between(0, 2_000), () => fleet.start(place));
  for (const { atMs, request } of scenario.requests)
    time.after(atMs, () => void client.ask(request));
  for (const { atMs, action } of scenario.actions) time.after(atMs, () => perform(world, action));
  await time.run(scenario.chaosMs);
}

function perform({ fleet, client, time, dice, failOver }: World, action: Action): void {
  switch (action.type) {
    case 'crash':
      return fleet.crash(action.worker, action.forMs);
    case 'failOver':
      return failOver(action.lostMs);
    case 'freeze':
      return fleet.freeze(action.worker, action.forMs);
    case 'pauseWorker':
      return fleet.pause(action.worker, action.forMs);
    case 'stop':
      return fleet.restart(action.worker, action.forMs, dice.chance(0.5));
    case 'cut': {
      const process = fleet.at(action.worker);
      process?.link.cut(action.way);
      time.after(action.forMs, () => process?.link.heal());
      return;
    }
    default:
      void client.act(action);
  }
}

/** No more faults: all there is must come to its end. At times the failed get a second life. */
async function calm(world: World): Promise<void> {
  const { time, client, dice } = world;
  world.calm();
  await untilRest(world);
  if (!dice.fork('second life').chance(0.3)) return;
  void client.retryFailed();
  await time.run(time.now() + STEP_MS);
  await untilRest(world);
}

async function untilRest(world: World): Promise<void> {
  const { time, client, ledger, violations } = world;
  const since = time.now();
  const watch = watchPromptness(world);
  while (
    ledger.unfinished().length > 0 ||
    client.pending() > 0 ||
    time.now() < since + REST_AFTER_MS
  ) {
    await time.run(time.now() + STEP_MS);
    const calmFor = time.now() - since;
    // The message that frees a worker may still be on its way in the first seconds.
    if (calmFor > RESUME_ALL_AFTER_MS) {
      watch.look();
      if (ledger.pausedKinds.size > 0) void client.resumeAll();
    }
    // Where something is broken already, waiting for the rest says no more.
    if (calmFor > BROKEN_REST_WITHIN_MS && violations.all.length > 0) return;
    if (calmFor < REST_WITHIN_MS) continue;
    for (const { id, kind, state, attempt } of ledger.unfinished())
      violations.add('noJobLost', `${id} (${kind}) is still ${state}, attempt ${attempt}`);
    return;
  }
}

async function stopAll(world: World): Promise<void> {
  for (const process of world.fleet.running()) {
    if (process.clock.state === 'running' && process.worker.status().state !== 'stopped')
      await stop(world, process);
  }
}

async function stop(
  { time, violations, ledger }: World,
  { worker, clock, host, plan }: SimulatedProcess,
): Promise<void> {
  let ended = false;
  void worker.stop().then(() => (ended = true));
  const until = time.now() + plan.graceMs + STOP_SLACK_MS;
  while (!ended && time.now() < until) {
    await time.run(time.now() + 100);
    if (clock.state === 'killed') return;
  }
  violations.expect(ended, 'stopping', () => `${host.name} does not stop`);
  const left = [...ledger.leased].filter(({ holder }) => holder === host.name);
  for (const { id, epoch } of left)
    violations.add('stopping', `${host.name} has stopped and still has ${id}!${epoch}`);
}
