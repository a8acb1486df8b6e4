import { type ProcessParts, type SimulatedProcess, startProcess } from './process.ts';
import type { Dice } from '../random.ts';
import type { WorkerPlan } from '../scenario/scenario.ts';

/** The worker processes, each in its place: one that ends is followed by another of the same plan. */
export interface Fleet {
  /** Null while the place is empty. */
  at(place: number): SimulatedProcess | null;
  running(): SimulatedProcess[];
  start(place: number): void;
  crash(place: number, forMs: number): void;
  freeze(place: number, forMs: number): void;
  pause(place: number, forMs: number): void;
  /** Stops gracefully and starts again later, at times as a new process. */
  restart(place: number, forMs: number, asNew: boolean): void;
  /** The lines are good from now on, also those of processes to come. */
  calm(): void;
}

const REPLACED_AFTER_MS = 2_000;

export function createFleet(
  parts: Omit<ProcessParts, 'onCrash'>,
  plans: readonly WorkerPlan[],
  dice: Dice,
): Fleet {
  const { time, counts, trace } = parts;
  const places: (SimulatedProcess | null)[] = plans.map(() => null);
  let started = 0;
  let isCalm = false;
  let replacedAfterMs = REPLACED_AFTER_MS;

  function start(place: number): void {
    const plan = plans[place];
    if (plan === undefined || places[place] != null) return;
    const name = `${plan.name}.${(started += 1)}`;
    const process = startProcess(
      { ...parts, onCrash: () => replace(place) },
      plan,
      name,
      dice.fork(name),
    );
    if (isCalm) process.link.calm();
    places[place] = process;
  }

  function replace(place: number): void {
    places[place] = null;
    time.after(replacedAfterMs, () => start(place));
  }

  function crash(place: number, forMs: number): void {
    replacedAfterMs = forMs;
    places[place]?.crash();
    replacedAfterMs = REPLACED_AFTER_MS;
  }

  function freeze(place: number, forMs: number): void {
    const process = places[place];
    if (process?.clock.state !== 'running') return;
    counts.freeze += 1;
    trace.add(process.host.name, `freezes for ${Math.round(forMs)} ms`);
    process.clock.freeze();
    time.after(forMs, () => {
      trace.add(process.host.name, 'thaws');
      process.clock.thaw();
    });
  }

  /** Whatever a person asks of a process happens when the process gets round to it. */
  function pause(place: number, forMs: number): void {
    const process = places[place];
    process?.clock.after(0, () => {
      if (!process.worker.pause()) return;
      trace.add(process.host.name, 'is paused');
      process.clock.after(forMs, () => {
        trace.add(process.host.name, 'is resumed');
        process.worker.resume();
      });
    });
  }

  function restart(place: number, forMs: number, asNew: boolean): void {
    const process = places[place];
    process?.clock.after(0, () => {
      if (process.worker.status().state !== 'running') return;
      counts.stop += 1;
      trace.add(process.host.name, 'is asked to stop');
      void process.worker.stop().then(() => {
        trace.add(process.host.name, 'has stopped');
        process.clock.after(forMs, () => (asNew ? renew(place, process) : again(process)));
      });
    });
  }

  function again({ host, worker }: SimulatedProcess): void {
    counts.restart += 1;
    trace.add(host.name, 'starts again');
    worker.start();
  }

  function renew(place: number, old: SimulatedProcess): void {
    counts.restart += 1;
    old.clock.kill();
    if (places[place] !== old) return;
    places[place] = null;
    start(place);
  }

  return {
    at: (place) => places[place] ?? null,
    running: () => places.filter((process) => process !== null),
    start,
    crash,
    freeze,
    pause,
    restart,
    calm() {
      isCalm = true;
      for (const process of places) process?.link.calm();
    },
  };
}
