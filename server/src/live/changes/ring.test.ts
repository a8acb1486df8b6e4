import { createVirtualTime } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { type Ring, createRing } from './ring.ts';

const job = {
  topic: 'job',
  kind: 'k',
  tenant: '',
  submitter: null,
  state: 'QUEUED',
  correlationId: null,
} as const;

function append(ring: Ring, mark: string, count: number): void {
  const jobs = Array.from({ length: count }, (_, index) => ({
    position: index + 1,
    job: { ...job, id: `${mark}/${index}` },
    frame: Buffer.from(''),
  }));
  ring.append({ mark, size: count, jobs, more: null });
}

function createWorld() {
  const time = createVirtualTime();
  return { ring: createRing(time.process()), run: (ms: number) => time.run(time.now() + ms) };
}

/** The marks of everything that follows. */
function following(ring: Ring, from: Parameters<Ring['next']>[0]): string[] | 'lost' {
  const marks: string[] = [];
  for (let place = from; ;) {
    const next = ring.next(place);
    if (next === 'lost') return 'lost';
    if (next === null) return marks;
    marks.push(next.batch.mark);
    ({ place } = next);
  }
}

describe('the ring', () => {
  test('gives what follows a place, also one within a batch', () => {
    const { ring } = createWorld();
    expect(ring.endId()).toBe(null);
    const beginning = ring.end();
    for (const mark of ['a', 'b', 'c']) append(ring, mark, 2);
    expect(following(ring, beginning)).toEqual(['a', 'b', 'c']);
    const inside = ring.find('b.1');
    expect(inside).toMatchObject({ position: 1 });
    expect(inside && following(ring, inside)).toEqual(['b', 'c']);
    expect(following(ring, ring.end())).toEqual([]);
    expect(ring.endId()).toBe('c.2');
  });

  test('keeps a minute, and the newest for as long as it is the newest', async () => {
    const { ring, run } = createWorld();
    append(ring, 'a', 1);
    const place = ring.end();
    const part = ring.find('a.0');
    append(ring, 'b', 1);
    await run(60_000);
    ring.trim();
    expect(ring.find('a.1')).not.toBe(null);
    await run(1);
    ring.trim();
    expect(ring.find('a.1')).toBe(null);
    expect(ring.endId()).toBe('b.1');
    // All of `a` is told, so nothing is missing; a part of it is not.
    expect(following(ring, place)).toEqual(['b']);
    expect(part && following(ring, part)).toBe('lost');
    append(ring, 'c', 1);
    expect(following(ring, place)).toBe('lost');
  });

  test('keeps ten thousand events', () => {
    const { ring } = createWorld();
    for (let n = 1; n <= 41; n += 1) append(ring, `m${n}`, 250);
    expect(ring.find('m1.1')).toBe(null);
    expect(ring.find('m2.1')).not.toBe(null);
  });

  test('forgets every place when it is cleared', () => {
    const { ring } = createWorld();
    append(ring, 'a', 1);
    const place = ring.end();
    ring.clear();
    expect(ring.find('a.1')).toBe(null);
    expect(ring.endId()).toBe(null);
    expect(following(ring, place)).toBe('lost');
    const after = ring.end();
    append(ring, 'b', 1);
    expect(following(ring, after)).toEqual(['b']);
  });
});
