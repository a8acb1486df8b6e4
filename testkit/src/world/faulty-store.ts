import { type Hint, type NewJob, type Store, StoreUnavailable } from '@millrace/engine';
import type { CallPlan, Link, Repeat } from './link.ts';
import type { ProcessClock, VirtualTime } from '../time/virtual-clock.ts';

/**
 * A process's store behind a bad line. Calls may be slow, overtake each other, get lost on the way there
 * or back, and arrive twice; hints may come late or never. The way there is the network's (what a process
 * sent before it died still arrives), the way back ends in the process, and waits while that is frozen.
 *
 * Calls that arrive twice: settle, renew, checkpoint, and enqueue where every job has a key. TCP repeats nothing,
 * but drivers that send again after a broken connection do. Their second copy comes before the answer; what
 * sits in the buffer of the old connection may come much later. A claim is never repeated blindly: the engine
 * asks for its replay instead.
 */
export function createFaultyStore(params: {
  store: Store;
  time: VirtualTime;
  clock: ProcessClock;
  link: Link;
  /** Hears of every call that did not end well for its caller. */
  onFault: (verb: string, what: string) => void;
  /** Told of every call, with what its caller will hear. */
  onCall?: (answer: Promise<unknown>) => void;
}): Store {
  const { store, time, clock, link, onFault, onCall } = params;

  function call<T>(verb: string, arrive: () => Promise<T>, repeat: Repeat = 'never'): Promise<T> {
    if (clock.state === 'killed') return new Promise(() => {});
    const answer = send(verb, arrive, link.plan(repeat, verb));
    onCall?.(answer);
    return answer;
  }

  function send<T>(verb: string, arrive: () => Promise<T>, plan: CallPlan): Promise<T> {
    return new Promise((resolve, reject) => {
      const giveUp = clock.after(link.timeoutMs, () => {
        onFault(verb, 'no answer');
        reject(
          new StoreUnavailable(`The store did not answer ${verb} within ${link.timeoutMs} ms.`),
        );
      });
      if (plan.requestLost || !link.carries('requests')) return;
      carry(plan, arrive, (answer) => {
        giveUp();
        answer.then(resolve, reject);
      });
    });
  }

  /** To the store, once or twice, and back. A promise that was settled once ignores the rest. */
  function carry<T>(
    plan: CallPlan,
    arrive: () => Promise<T>,
    deliver: (answer: Promise<T>) => void,
  ): void {
    const back = (answer: Promise<T>): void => {
      if (plan.answerLost) return;
      clock.after(plan.answerMs, () => {
        if (link.carries('answers')) deliver(answer);
      });
    };
    time.after(plan.requestMs, () => {
      const { again } = plan;
      const first = arrive();
      first.catch(() => {}); // its caller hears of it, if it gets there
      if (again === null || again.isLate) back(first);
      if (again === null) return;
      time.after(again.afterMs, () => {
        const second = arrive();
        second.catch(() => {});
        if (!again.isLate) back(again.answerOf === 'first' ? first : second);
      });
    });
  }

  /** Hints overtake each other. */
  function watch(listener: (hint: Hint) => void): () => void {
    return store.watch((hint) => {
      if (clock.state === 'killed') return;
      const { lost, ms } = link.planHint();
      if (!lost && link.carries('answers')) clock.after(ms, () => listener(hint));
    });
  }

  return {
    name: store.name,
    keeps: store.keeps,
    now: () => call('now', () => store.now()),
    enqueue: (p) =>
      call('enqueue', () => store.enqueue(p), everyJobHasKey(p) ? 'anyTime' : 'never'),
    claim: (p) => call('claim', () => store.claim(p)),
    renew: (p) => call('renew', () => store.renew(p), 'anyTime'),
    settle: (p) => call('settle', () => store.settle(p), 'anyTime'),
    cancel: (p) => call('cancel', () => store.cancel(p)),
    retry: (p) => call('retry', () => store.retry(p)),
    erase: (p) => call('erase', () => store.erase(p)),
    get: (p) => call('get', () => store.get(p)),
    list: (p) => call('list', () => store.list(p)),
    summaries: (p) => call('summaries', () => store.summaries(p)),
    counts: () => call('counts', () => store.counts()),
    inspect: (p) => call('inspect', () => store.inspect(p)),
    watch,
    close: () => store.close(),
    ...partsBehind(store, call),
  };
}

type Call = <T>(verb: string, arrive: () => Promise<T>, repeat?: Repeat) => Promise<T>;

/** The parts that the store has, each behind the same line. */
function partsBehind({ chunks, followers, schedules, control, upkeep }: Store, call: Call): Parts {
  return {
    ...(chunks && {
      chunks: { checkpoint: (p) => call('checkpoint', () => chunks.checkpoint(p), 'anyTime') },
    }),
    ...(followers && {
      followers: {
        closeGates: (p) => call('closeGates', () => followers.closeGates(p)),
        children: (p) => call('children', () => followers.children(p)),
        gates: (p) => call('gates', () => followers.gates(p)),
      },
    }),
    ...(schedules && {
      schedules: {
        sync: (p) => call('sync', () => schedules.sync(p)),
        all: () => call('schedules', () => schedules.all()),
        fire: (p) => call('fire', () => schedules.fire(p)),
        pause: (p) => call('pauseSchedule', () => schedules.pause(p)),
        resume: (p) => call('resumeSchedule', () => schedules.resume(p)),
        remove: (p) => call('removeSchedule', () => schedules.remove(p)),
      },
    }),
    ...(control && {
      control: {
        pause: (p) => call('pause', () => control.pause(p)),
        resume: (p) => call('resume', () => control.resume(p)),
        paused: () => call('paused', () => control.paused()),
        reportWorker: (p) => call('reportWorker', () => control.reportWorker(p)),
        workers: () => call('workers', () => control.workers()),
        steer: (p) => call('steer', () => control.steer(p)),
        steered: () => call('steered', () => control.steered()),
      },
    }),
    ...(upkeep && {
      upkeep: {
        prune: (p) => call('prune', () => upkeep.prune(p)),
        maintain: () => call('maintain', () => upkeep.maintain()),
      },
    }),
  };
}

type Parts = Pick<Store, 'chunks' | 'followers' | 'schedules' | 'control' | 'upkeep'>;

function everyJobHasKey({ jobs }: { jobs: readonly NewJob[] }): boolean {
  return jobs.every(({ key }) => key !== undefined);
}
