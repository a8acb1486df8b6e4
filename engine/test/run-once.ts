import type { Job, JobDefinition } from '../src/index.ts';
import { type Handler, type World, createWorld, work } from './world.ts';

/** One job of the kind "work", enqueued and run; its children, of the kind "child", are made and wait. */
export async function runOnce(
  run: Handler,
  changes: Partial<JobDefinition<unknown>> = {},
  data: unknown = null,
): Promise<World & { id: string; ended: Job }> {
  const world = createWorld({
    kinds: [work(run, changes), work(async () => {}, { kind: 'child' })],
  });
  const id = await world.enqueue({
    data,
    tenant: 'acme',
    correlationId: 'c1',
    submitter: 'ann',
    subject: 'p1',
  });
  await world.store.control?.pause({ kind: 'child', by: null });
  world.worker.start();
  await world.run(10);
  return { ...world, id, ended: await world.job(id) };
}
