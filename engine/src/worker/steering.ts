import type { ControlPart, WorkerAim } from '../parts.ts';

/**
 * Does what people ask of this worker through the store. Only a change counts: a worker that was paused here, by whoever can reach
 * it, stays so while nobody asks for anything else.
 */
export interface Steering {
  look(): Promise<void>;
}

export function createSteering(params: {
  readonly control: Pick<ControlPart, 'steered'> | undefined;
  /** Its own, and that of its process. */
  readonly names: readonly string[];
  readonly pause: () => void;
  readonly resume: () => void;
  /** What works in chunks is handed back after the next one. */
  readonly yieldAll: () => void;
}): Steering {
  const { control, names, pause, resume, yieldAll } = params;
  let aim: WorkerAim = 'running';
  return {
    async look() {
      const asked = (await control?.steered()) ?? [];
      const next = asked.find(({ worker }) => names.includes(worker))?.to ?? 'running';
      if (next === aim) return;
      const before = aim;
      aim = next;
      if (next === 'running') resume();
      else if (before === 'running') pause();
      if (next === 'drained') yieldAll();
    },
  };
}
