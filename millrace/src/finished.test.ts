import { type Clock, MillraceError, StoreUnavailable, createEvents } from '@millrace/engine';
import { expect, it } from 'vitest';
import { createFinished } from './finished.ts';
import type { FoundJob } from './job.ts';

/** Each look is answered by the next of these; time passes at once. */
function waiting(looks: (Partial<FoundJob> | Error | null)[]): Promise<FoundJob> {
  const clock: Pick<Clock, 'after'> = {
    after(_ms, wake) {
      setImmediate(wake);
      return () => {};
    },
  };
  const finished = createFinished({
    events: createEvents(),
    clock: clock as Clock,
    async get() {
      const look = looks.shift() ?? null;
      if (look instanceof Error) throw look;
      return look as FoundJob | null;
    },
  });
  return finished('pg-1');
}

const away = new StoreUnavailable('away');

it('waits through a restart of the database', async () => {
  const looks = [{ state: 'QUEUED' }, away, away, { state: 'SUCCEEDED' }] as const;
  expect(await waiting([...looks])).toEqual({ state: 'SUCCEEDED' });
});

it('a database that is away from the beginning is an error, as is any other', async () => {
  await expect(waiting([away])).rejects.toBe(away);
  const stopped = new MillraceError('illegal_transition', 'stopped');
  await expect(waiting([{ state: 'QUEUED' }, stopped])).rejects.toBe(stopped);
  await expect(waiting([{ state: 'QUEUED' }, null])).rejects.toThrow('There is no job');
});
