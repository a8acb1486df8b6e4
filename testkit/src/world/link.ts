import type { Dice } from '../random.ts';

/** The faults between a process and its store, each with its probability per call. */
export interface FaultRates {
  /** The request or the answer takes its time: seconds, and longer than the caller waits at times. */
  readonly slow: number;
  readonly requestLost: number;
  readonly answerLost: number;
  /** The request arrives twice. */
  readonly twice: number;
  readonly hintLost: number;
  readonly hintSlow: number;
}

export const NO_FAULTS: FaultRates = {
  slow: 0,
  requestLost: 0,
  answerLost: 0,
  twice: 0,
  hintLost: 0,
  hintSlow: 0,
};

export type FaultName =
  | keyof FaultRates
  | 'partition'
  | 'freeze'
  | 'crash'
  | 'restart'
  | 'stop'
  | 'poisonedResult'
  | 'failOver';

export type FaultCounts = Record<FaultName, number>;

export function createFaultCounts(): FaultCounts {
  return {
    slow: 0,
    requestLost: 0,
    answerLost: 0,
    twice: 0,
    hintLost: 0,
    hintSlow: 0,
    partition: 0,
    freeze: 0,
    crash: 0,
    restart: 0,
    stop: 0,
    poisonedResult: 0,
    failOver: 0,
  };
}

/** The direction in which a cut line still carries. */
export type Cut = 'both' | 'requests' | 'answers';

/** The fate of one call; drawn when it is made, so that the draw does not depend on what follows. */
export interface CallPlan {
  readonly requestLost: boolean;
  readonly answerLost: boolean;
  readonly requestMs: number;
  readonly answerMs: number;
  /** Null: the request arrives once. */
  readonly again: SecondCopy | null;
}

export interface SecondCopy {
  readonly afterMs: number;
  /** The copy whose answer the caller gets. */
  readonly answerOf: 'first' | 'second';
  /** The caller has its answer, and has gone on, before the second copy arrives. */
  readonly isLate: boolean;
}

/** Whether a call may arrive twice, and whether the second copy may come after the answer. */
export type Repeat = 'never' | 'anyTime';

/** The line between one process and the store. */
export interface Link {
  /** `verb` is what the store is asked to do. */
  plan(repeat: Repeat, verb: string): CallPlan;
  planHint(): { lost: boolean; ms: number };
  /** How long the caller waits for an answer. */
  readonly timeoutMs: number;
  cut(way: Cut): void;
  heal(): void;
  /** No faults of any kind from here on. */
  calm(): void;
  carries(leg: 'requests' | 'answers'): boolean;
}

const HINT_SLOW_MS = 30_000;
const LATE_MS = 10_000;

export function createLink(params: {
  dice: Dice;
  rates: FaultRates;
  counts: FaultCounts;
  timeoutMs: number;
}): Link {
  const { dice, counts, timeoutMs } = params;
  let { rates } = params;
  let cutWay: Cut | null = null;

  function happens(fault: keyof FaultRates): boolean {
    const yes = dice.chance(rates[fault]);
    if (yes) counts[fault] += 1;
    return yes;
  }

  /** Mostly a network's few milliseconds; a slow one is anything up to twice what the caller waits. */
  function transit(): number {
    return happens('slow') ? dice.between(10, 2 * timeoutMs) : dice.between(0.1, 4);
  }

  function plan(repeat: Repeat): CallPlan {
    const [requestMs, answerMs] = [transit(), transit()];
    const requestLost = happens('requestLost');
    const answerLost = !requestLost && happens('answerLost');
    const twice = repeat !== 'never' && !requestLost && happens('twice');
    return {
      requestLost,
      answerLost,
      requestMs,
      answerMs,
      again: twice ? secondCopy(dice.chance(0.5)) : null,
    };
  }

  function secondCopy(isLate: boolean): SecondCopy {
    if (isLate) return { isLate, afterMs: dice.between(0, LATE_MS), answerOf: 'first' };
    return { isLate, afterMs: dice.between(0, 50), answerOf: dice.pick(['first', 'second']) };
  }

  return {
    plan,
    planHint: () => ({
      lost: happens('hintLost'),
      ms: happens('hintSlow') ? dice.between(10, HINT_SLOW_MS) : dice.between(0.1, 4),
    }),
    timeoutMs,
    cut(way) {
      counts.partition += 1;
      cutWay = way;
    },
    heal() {
      cutWay = null;
    },
    calm() {
      cutWay = null;
      rates = NO_FAULTS;
    },
    carries: (leg) => cutWay !== 'both' && cutWay !== leg,
  };
}
