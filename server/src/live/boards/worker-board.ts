import type { Replica } from '@millrace/api';
import type { Board } from './queue-board.ts';
import { type Frame, eventFrame } from '../streams/frames.ts';
import { replicasForAll } from './replicas.ts';
import { shared } from '../shared.ts';
import type { MainStore } from '../../stores/parts.ts';

export interface WorkerBoard extends Board {
  /** This process knows the state of its own worker before the store does. */
  enter(worker: string, state: Replica['state']): void;
}

interface Known {
  readonly replica: Replica;
  readonly json: string;
  readonly frame: Frame;
}

/** `onVanished`: a replica went without a word; the last of what it did may not have been announced. */
export function createWorkerBoard(store: MainStore, onVanished: () => void): WorkerBoard {
  const own = new Map<string, Replica['state']>();
  let known = new Map<string, Known>();

  function know(read: Replica): Known {
    const state = read.state === 'silent' ? read.state : (own.get(read.id) ?? read.state);
    const replica = { ...read, state };
    const json = JSON.stringify(replica);
    const before = known.get(read.id);
    if (before?.json === json) return before;
    return { replica, json, frame: eventFrame({ type: 'worker', worker: replica }) };
  }

  return {
    refresh: shared(async () => {
      const next = new Map((await replicasForAll(store)).map((read) => [read.id, know(read)]));
      const hasVanished = [...known].some(
        ([id, { replica }]) =>
          isAlive(replica) && (next.get(id)?.replica.state ?? 'silent') === 'silent',
      );
      known = next;
      if (hasVanished) onVanished();
    }),
    frames: () => [...known.values()].map(({ frame }) => frame),
    enter(worker, state) {
      own.set(worker, state);
      const before = known.get(worker);
      if (before !== undefined) known.set(worker, know(before.replica));
    },
  };
}

function isAlive({ state }: Replica): boolean {
  return state !== 'stopped' && state !== 'silent';
}
