import type { ClaimParams } from '../src/index.ts';
import { type Handler, type World, type WorldOptions, createWorld, later, work } from './world.ts';

/** Jobs that took their worker with them, for the tests of how they are kept alone. */

export const LEASE_MS = 10_000;

/** Jobs that are called by their data, and end when the test says so. */
export function byName() {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const handler: Handler = ({ data }) => {
    const end = later();
    begun.push(String(data));
    ends.set(String(data), end.resolve);
    return end.promise;
  };
  return { handler, begun, end: (name: string) => ends.get(name)?.() };
}

/** Two pools, "work" and "other", that look for work only when there is a hint. */
export function twoPools(options: Partial<WorldOptions> = {}) {
  const jobs = byName();
  const interval = { active: '1h', idle: '1h' } as const;
  const made = createWorld({
    kinds: [
      work(jobs.handler, { timeout: '1d' }),
      work(jobs.handler, { kind: 'other', timeout: '1d' }),
    ],
    ...options,
    worker: {
      lease: LEASE_MS,
      pools: [
        { name: 'a', kinds: ['work'], interval },
        { name: 'b', kinds: ['other'], interval },
      ],
      ...options.worker,
    },
  });
  return { ...made, ...jobs };
}

/** Everything that waits is claimed and begun by a worker that dies of it, and its lease is over. */
export async function lose(made: Pick<World, 'join' | 'run'>): Promise<void> {
  const dying = made.join('dying');
  dying.worker.start();
  await made.run(10);
  dying.clock.kill();
  await made.run(LEASE_MS);
}

/** One suspect, called "suspect", and nothing else; no worker is there. */
export async function suspectIn(made: ReturnType<typeof twoPools>): Promise<string> {
  const id = await made.enqueue({ data: 'suspect' });
  await lose(made);
  made.begun.length = 0;
  return id;
}

export function isAlone({ alone }: ClaimParams): boolean {
  return alone === true;
}

export function aloneClaims(calls: readonly { verb: string; params: unknown }[]): ClaimParams[] {
  return calls
    .filter(({ verb }) => verb === 'claim')
    .map(({ params }) => params as ClaimParams)
    .filter(isAlone);
}
