import { type EnqueueParams, type Hint, type Store, StoreUnavailable } from '@millrace/engine';
import type { CallPlan, Link, Repeat } from './link.ts';
import type { ProcessClock, VirtualTime } from './virtual-clock.ts';

/**
 * A process's store behind a bad line. Calls may be slow, overtake each other, get lost on the way there
 * or back, and arrive twice; hints may come late or never. The way there is the network's (what a process
 * sent before it died still arrives), the way back ends in the process, and waits while that is frozen.
 *
 * What arrives twice: settle, renew, checkpoint, auditEnd, and enqueue where every job has a key. TCP repeats nothing,
 * but drivers that send again after a broken connection do. Their second copy comes before the answer; what
 * sits in the buffer of the old connection may come much later. A claim is never repeated blindly: the engine
 * asks for its replay instead.
 */
export function createFaultyStore(params: {
  store: Store;
  time: VirtualTime;
  clock: ProcessClock;
  link: Link;
  /** Told of every call that did not end well for its caller. */
  onFault: (verb: string, what: string) => void;
}): Store {
  const { store, time, clock, link, onFault } = params;

  function call<T>(verb: string, arrive: () => Promise<T>, repeat: Repeat = 'never'): Promise<T> {
    if (clock.state === 'killed') return new Promise(() => {});
    const plan = link.plan(repeat);
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

  /** Hints overtake each other. Announcements come late or never, but in their order, as the port promises. */
  function watch(listener: (hint: Hint) => void): () => void {
    const announced: Hint[] = [];
    return store.watch((hint) => {
      if (clock.state === 'killed') return;
      const { lost, ms } = link.planHint();
      if (lost || !link.carries('answers')) return;
      if (hint.type !== 'changed' && hint.type !== 'interest') {
        clock.after(ms, () => listener(hint));
        return;
      }
      // Whichever time comes first brings the oldest.
      announced.push(hint);
      clock.after(ms, () => {
        const next = announced.shift();
        if (next !== undefined) listener(next);
      });
    });
  }

  return {
    name: store.name,
    can: store.can,
    now: () => call('now', () => store.now()),
    enqueue: (p) =>
      call('enqueue', () => store.enqueue(p), everyJobHasKey(p) ? 'anyTime' : 'never'),
    claim: (p) => call('claim', () => store.claim(p)),
    renew: (p) => call('renew', () => store.renew(p), 'anyTime'),
    settle: (p) => call('settle', () => store.settle(p), 'anyTime'),
    checkpoint: (p) => call('checkpoint', () => store.checkpoint(p), 'anyTime'),
    cancel: (p) => call('cancel', () => store.cancel(p)),
    retry: (p) => call('retry', () => store.retry(p)),
    get: (p) => call('get', () => store.get(p)),
    list: (p) => call('list', () => store.list(p)),
    summaries: (p) => call('summaries', () => store.summaries(p)),
    counts: () => call('counts', () => store.counts()),
    inspect: (p) => call('inspect', () => store.inspect(p)),
    watch,
    announce: (p) => call('announce', () => store.announce(p)),
    pause: (p) => call('pause', () => store.pause(p)),
    resume: (p) => call('resume', () => store.resume(p)),
    paused: () => call('paused', () => store.paused()),
    syncSchedules: (p) => call('syncSchedules', () => store.syncSchedules(p)),
    schedules: () => call('schedules', () => store.schedules()),
    fire: (p) => call('fire', () => store.fire(p)),
    reportWorker: (p) => call('reportWorker', () => store.reportWorker(p)),
    workers: () => call('workers', () => store.workers()),
    prune: (p) => call('prune', () => store.prune(p)),
    closeGates: (p) => call('closeGates', () => store.closeGates(p)),
    erase: (p) => call('erase', () => store.erase(p)),
    audit: (p) => call('audit', () => store.audit(p)),
    auditEnd: (p) => call('auditEnd', () => store.auditEnd(p), 'anyTime'),
    auditLog: (p) => call('auditLog', () => store.auditLog(p)),
    ...(store.maintain && { maintain: () => call('maintain', async () => store.maintain?.()) }),
    close: () => store.close(),
  };
}

function everyJobHasKey({ jobs }: EnqueueParams): boolean {
  return jobs.every(({ key }) => key !== undefined);
}
