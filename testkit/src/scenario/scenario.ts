import type { JobRequest, PoolConfig, RetryPolicy, Schedule } from '@millrace/engine';
import { drawRequests } from './arrivals.ts';
import { type Action, drawActions } from './actions.ts';
import { KIND_NAMES, type KindName, type KindSettings, THEMES } from './kinds.ts';
import { type FaultRates, NO_FAULTS } from '../world/link.ts';
import type { Dice } from '../random.ts';
import type { Skew } from '../time/virtual-clock.ts';

/** Everything that a seed decides, drawn before anything runs. */
export interface Scenario {
  readonly kinds: readonly KindName[];
  readonly settings: (kind: string) => KindSettings;
  readonly workers: readonly WorkerPlan[];
  readonly client: LinePlan;
  readonly schedules: readonly SchedulePlan[];
  readonly requests: readonly { readonly atMs: number; readonly request: JobRequest }[];
  readonly actions: readonly { readonly atMs: number; readonly action: Action }[];
  /** How long things go wrong. */
  readonly chaosMs: number;
}

export interface LinePlan {
  readonly skew: Skew;
  readonly rates: FaultRates;
  readonly timeoutMs: number;
}

export interface WorkerPlan extends LinePlan {
  readonly name: string;
  readonly kinds: readonly KindName[];
  readonly leaseMs: number;
  readonly graceMs: number;
  readonly pools: readonly PoolConfig[];
}

export interface SchedulePlan {
  readonly schedule: Schedule;
  readonly periodMs: number;
}

export function drawScenario(dice: Dice): Scenario {
  const kinds = drawKinds(dice.fork('kinds'));
  const chaosMs = dice.between(10_000, 80_000);
  const workers = Array.from({ length: dice.integer(1, 4) }, (_, index) =>
    drawWorker(dice.fork(`worker ${index}`), index, kinds),
  );
  return {
    kinds,
    settings: drawSettings(dice.fork('settings')),
    workers,
    client: drawLine(dice.fork('client')),
    schedules: drawSchedules(dice.fork('schedules')),
    requests: drawRequests(dice.fork('requests'), kinds, chaosMs),
    actions: drawActions(dice.fork('actions'), { workers: workers.length, kinds, chaosMs }),
    chaosMs,
  };
}

/** A few themes each, so that there is enough of one to get in its own way. */
function drawKinds(dice: Dice): readonly KindName[] {
  const themes = Array.from({ length: dice.integer(1, 4) }, () => dice.pick(THEMES));
  return KIND_NAMES.filter(
    (kind) => kind === 'plain' || themes.some((theme) => theme.includes(kind)),
  );
}

/** The same for all workers: they are replicas of one program. */
function drawSettings(dice: Dice): (kind: string) => KindSettings {
  return (kind) => {
    const own = dice.fork(kind);
    return {
      retry: own.pick(POLICIES),
      concurrency: own.pick([1, 2, 3, 100]),
      quota: own.integer(1, 3),
      timeoutMs: kind === 'hung' ? own.between(2_000, 15_000) : own.pick([30_000, 600_000]),
    };
  };
}

const POLICIES: [RetryPolicy, ...RetryPolicy[]] = [
  { backoff: 'steps', delays: [] },
  { backoff: 'steps', delays: ['1s', '4s'] },
  { backoff: 'linear', retries: 3, step: '1s' },
  { backoff: 'exponential', retries: 4, base: '500ms', max: '8s', jitter: 0.2 },
];

/** The first worker takes everything, so that nothing waits for ever once it is left in peace. */
function drawWorker(dice: Dice, index: number, kinds: readonly KindName[]): WorkerPlan {
  const own: readonly KindName[] =
    index === 0 || dice.chance(0.5) ? kinds : ['plain', ...dice.some(kinds.slice(1), 0.5)];
  return {
    ...drawLine(dice),
    name: `w${index}`,
    kinds: own,
    leaseMs: dice.pick([5_000, 10_000, 20_000, 30_000]),
    graceMs: dice.pick([1_000, 10_000, 60_000]),
    pools: drawPools(dice, own, index === 0),
  };
}

function drawPools(dice: Dice, kinds: readonly KindName[], takesAll: boolean): PoolConfig[] {
  const rest: PoolConfig = { name: 'rest', ...drawPool(dice) };
  if (dice.chance(0.5)) return [rest];
  const [named] = [dice.some(kinds, 0.3)];
  if (named.length === 0) return [rest];
  const picky = !takesAll && dice.chance(0.3);
  const held = !takesAll && dice.chance(0.3);
  return [
    rest,
    {
      name: 'named',
      kinds: named,
      ...drawPool(dice),
      ...(picky && { minPriority: 0 }),
      ...(held && { pauseWindows: [{ cron: '*/2 * * * *', lasts: '20s' }] }),
    },
  ];
}

function drawPool(dice: Dice): Pick<PoolConfig, 'concurrency' | 'batch' | 'interval'> {
  return {
    concurrency: dice.pick([1, 2, 5, 20]),
    batch: dice.pick([1, 3, 20]),
    interval: { active: dice.integer(200, 5_000), idle: dice.integer(1_000, 60_000) },
  };
}

/** Some lines are good, some are bad in one way, some in every way. */
export function drawLine(dice: Dice): LinePlan {
  const rate = (most: number): number => (dice.chance(0.5) ? 0 : dice.between(0, most));
  const rates = dice.chance(0.2)
    ? NO_FAULTS
    : {
        slow: rate(0.1),
        requestLost: rate(0.1),
        answerLost: rate(0.1),
        twice: rate(0.2),
        hintLost: rate(0.5),
        hintSlow: rate(0.5),
      };
  return {
    skew: { offset: dice.between(-1e6, 1e6), rate: dice.between(0.99, 1.01) },
    rates,
    timeoutMs: dice.pick([500, 1_500, 4_000]),
  };
}

function drawSchedules(dice: Dice): SchedulePlan[] {
  const plan = (name: string, cron: string, periodMs: number): SchedulePlan => ({
    periodMs,
    schedule: {
      name,
      cron,
      job: { kind: 'tick', data: { tag: name, ms: dice.pick([10, 1_000, 6_000]) } },
      missed: dice.pick(['last', 'skip', 'all']),
      overlap: dice.pick(['skip', 'allow']),
    },
  });
  return dice.some(
    [plan('minutely', '* * * * *', 60_000), plan('often', '*/20 * * * * *', 20_000)],
    0.4,
  );
}
