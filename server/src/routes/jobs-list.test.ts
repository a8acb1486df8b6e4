import { afterEach, describe, expect, test } from 'vitest';
import { type Harness, type HarnessOptions, createHarness, refusal } from '../../test/harness.ts';
import { broken, endless, hello, internal } from '../../test/kinds.ts';

let harness: Harness;
function start(options: HarnessOptions = {}): Harness {
  harness = createHarness({ kinds: [hello, broken, internal, endless], ...options });
  return harness;
}
afterEach(() => harness.close());

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value);
}

describe('a list', () => {
  test('is paged to its end, and leaves large values out', async () => {
    const { client } = start();
    await client.enqueueBatch({ body: times(5, { kind: 'hello', data: { name: 'A' } }) });
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof client.listJobs>> = await client.listJobs({
        query: { limit: 2, ...(cursor !== null && { cursor }) },
      });
      expect(page.jobs.length).toBeLessThanOrEqual(2);
      for (const job of page.jobs) {
        expect(job).not.toHaveProperty('data');
        seen.push(job.id);
      }
      cursor = page.next;
    } while (cursor !== null);
    expect(new Set(seen).size).toBe(5);
  });

  test('and counts say what is left out because its place does not answer', async () => {
    const away = {
      places: (kinds?: readonly string[]) => (kinds?.includes('hello') ? [] : ['redis']),
    };
    const { client } = start({ parts: { away } });
    expect(await client.listJobs()).toMatchObject({ jobs: [], missing: ['redis'] });
    expect(await client.counts()).toMatchObject({ counts: [], missing: ['redis'] });
    expect(await client.listJobs({ query: { kind: 'hello' } })).not.toHaveProperty('missing');
  });

  test('is filtered', async () => {
    const { client } = start();
    await client.enqueue(
      { body: { kind: 'hello', data: { name: 'A' }, tenant: 'a' } },
      { headers: { 'x-correlation-id': 'c-1' } },
    );
    await client.enqueue({ body: { kind: 'broken', tenant: 'b' } });
    const count = async (query: object) => (await client.listJobs({ query })).jobs.length;
    expect(await count({ kind: 'hello' })).toBe(1);
    expect(await count({ tenant: 'b' })).toBe(1);
    expect(await count({ correlationId: 'c-1' })).toBe(1);
    expect(await count({ state: 'FAILED' })).toBe(0);
    expect(await count({ createdBefore: '2001-01-01T00:00:00Z' })).toBe(0);
    expect(await count({ createdAfter: '2001-01-01T00:00:00+02:00' })).toBe(2);
  });

  test.each([
    { limit: 0 },
    { limit: 201 },
    { limit: 'x' },
    { state: 'DONE' },
    { createdAfter: 'today' },
    { sort: 'asc' },
  ])('refuses %j', async (query) => {
    const { client } = start();
    await refusal(client.listJobs({ query }), 'invalid_request');
  });

  test('refuses a cursor that is not its own', async () => {
    const { client } = start();
    await refusal(client.listJobs({ query: { cursor: 'mine' } }), 'invalid_cursor');
  });
});
