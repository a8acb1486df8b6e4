import { type Duration, type JobKind, toMs } from '@millrace/engine';
import type { CallPlan, Link } from '../world/link.ts';
import { TestQueueError } from './errors.ts';

/**
 * The faults of a test queue.
 *
 * The store: `away`, so that nothing arrives there; `silent`, so that things arrive and are written, and nobody hears of
 * it. For a while from now on, or for so many calls; `on` picks out one kind of call.
 *
 * The worker, when the work of a job is done and before that is written: `killed`, or `frozen` until its lease is over and
 * the job is someone else's, and then it goes on. With `chunk`, when that chunk (from 1) is done; without, at the end.
 */
export type Break =
  | { readonly store: 'away' | 'silent'; readonly for: Duration; readonly on?: StoreCall }
  | { readonly store: 'away' | 'silent'; readonly calls: number; readonly on?: StoreCall }
  | {
      readonly worker: 'killed' | 'frozen';
      readonly job: Pick<JobKind, 'kind'>;
      readonly chunk?: number;
    };

/** The calls that an order for so many counts: those for jobs, and no housekeeping. */
export const STORE_CALLS = [
  'enqueue',
  'claim',
  'renew',
  'checkpoint',
  'settle',
  'get',
  'cancel',
  'retry',
] as const;
export type StoreCall = (typeof STORE_CALLS)[number];

/** Where a job's end (`chunk` null) or one of its chunks is about to be written. */
export interface Point {
  readonly kind: string;
  readonly chunk: number | null;
}

export interface Breaks {
  order(given: Break): void;
  /** Takes back what is still to come. */
  repair(): void;
  /** The fate of a call. */
  meets(call: string): 'good' | 'away' | 'silent';
  /** The fate of the worker. */
  strikes(point: Point): 'killed' | 'frozen' | null;
  /** The first order for a worker that nothing has come of, in words. */
  unused(): string | null;
  /** The store is to be broken for a while that has not passed. */
  isLasting(): boolean;
}

interface StoreOrder {
  readonly how: 'away' | 'silent';
  readonly on: StoreCall | null;
  readonly until: number;
  calls: number;
}

interface WorkerOrder extends Point {
  readonly how: 'killed' | 'frozen';
}

/** `now` is virtual time. */
export function createBreaks(now: () => number): Breaks {
  let store: StoreOrder[] = [];
  let worker: WorkerOrder[] = [];

  function order(given: Break): void {
    checkBreak(given);
    if ('worker' in given) {
      const { worker: how, job, chunk = null } = given;
      worker.push({ how, kind: job.kind, chunk });
      return;
    }
    const { store: how, on = null } = given;
    const [until, calls] =
      'for' in given ? [now() + toMs(given.for), Infinity] : [Infinity, given.calls];
    store.push({ how, on, until, calls });
  }

  function applies({ on, until, calls }: StoreOrder, call: string): boolean {
    if (on !== null) return on === call && now() < until;
    return now() < until && (calls === Infinity || isOfJobs(call));
  }

  function meets(call: string): 'good' | 'away' | 'silent' {
    const found = store.find((each) => applies(each, call));
    if (found === undefined) return 'good';
    found.calls -= 1;
    if (found.calls === 0) store = store.filter((each) => each !== found);
    return found.how;
  }

  function strikes({ kind, chunk }: Point): 'killed' | 'frozen' | null {
    const found = worker.find((each) => each.kind === kind && each.chunk === chunk);
    worker = worker.filter((each) => each !== found);
    return found?.how ?? null;
  }

  return {
    order,
    repair() {
      store = [];
      worker = [];
    },
    meets,
    strikes,
    unused() {
      const [first] = worker;
      if (first === undefined) return null;
      const when = first.chunk === null ? 'at the end' : `with chunk ${first.chunk}`;
      return `The worker was to be ${first.how} ${when} of a "${first.kind}"`;
    },
    isLasting: () => store.some(({ until }) => until < Infinity && now() < until),
  };
}

function isOfJobs(call: string): boolean {
  return (STORE_CALLS as readonly string[]).includes(call);
}

/** A call takes no time that anybody sees, but some: no two follow each other at one moment for ever. */
const TRANSIT_MS = 0.001;
/** How long a caller waits for an answer. */
const TIMEOUT_MS = 5_000;

/** The line of a process to the store: good, but for what was ordered. */
export function createOrderedLink(breaks: Breaks): Link {
  return {
    timeoutMs: TIMEOUT_MS,
    plan(_repeat, verb): CallPlan {
      const met = breaks.meets(verb);
      return {
        requestLost: met === 'away',
        answerLost: met === 'silent',
        requestMs: TRANSIT_MS,
        answerMs: TRANSIT_MS,
        again: null,
      };
    },
    planHint: () => ({ lost: false, ms: TRANSIT_MS }),
    carries: () => true,
    cut() {},
    heal() {},
    calm() {},
  };
}

/** Tests may be JavaScript, and an order that means nothing would leave the test without its fault. */
function checkBreak(given: Break): void {
  const wrong = (why: string): never => {
    throw new TestQueueError('invalid_options', `queue.break: ${why}`);
  };
  const isOfWorker = 'worker' in given;
  if (isOfWorker === 'store' in given)
    wrong('say what breaks, either { store: … } or { worker: … }.');
  const known = isOfWorker ? ['worker', 'job', 'chunk'] : ['store', 'for', 'calls', 'on'];
  const strange = Object.keys(given).find((name) => !known.includes(name));
  if (strange !== undefined)
    wrong(`there is no "${strange}" here. There are ${known.slice(1).join(', ')}.`);
  if ('worker' in given) {
    const { worker, job, chunk = 1 } = given;
    if (worker !== 'killed' && worker !== 'frozen') wrong('a worker is "killed" or "frozen".');
    if (typeof job?.kind !== 'string') wrong('say during which job: { job: aKind }.');
    if (!isWhole(chunk)) wrong('chunk is a whole number, from 1.');
    return;
  }
  const { store, on } = given;
  if (store !== 'away' && store !== 'silent') wrong('a store is "away" or "silent".');
  if ('for' in given === 'calls' in given) wrong('say how long: either for: "5m", or calls: 3.');
  if ('calls' in given && !isWhole(given.calls)) wrong('calls is a whole number, from 1.');
  if ('for' in given) toMs(given.for);
  if (on !== undefined && !STORE_CALLS.includes(on))
    wrong(`"${on}" is no call of a store. There are ${STORE_CALLS.join(', ')}.`);
}

function isWhole(count: number): boolean {
  return Number.isInteger(count) && count >= 1;
}
