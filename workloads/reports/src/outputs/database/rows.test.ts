import { afterAll, beforeAll, expect, test } from 'vitest';
import { chunkOf, closeSharedDatabase, openDatabasePlace } from '../../../test/places.ts';
import { CHUNK } from './rows.ts';

let place: Awaited<ReturnType<typeof openDatabasePlace>>;
beforeAll(async () => {
  place = await openDatabasePlace();
});
afterAll(async () => {
  await place.close();
  await closeSharedDatabase();
});

interface Node {
  readonly 'Node Type': string;
  readonly Output: readonly string[];
  readonly Plans?: readonly Node[];
}

function nodesOf(node: Node): Node[] {
  return [node, ...(node.Plans ?? []).flatMap(nodesOf)];
}

// A table that was just filled has no statistics: the planner may sort the chunks of a file to find one.
test('one chunk is encoded for one that is sent, however the database finds it', async () => {
  const output = await place.open({ epoch: 1 });
  await output.write(chunkOf(1, 1_000));
  await output.finish();
  const [name = ''] = await place.names();
  const text = `EXPLAIN (VERBOSE, FORMAT JSON) ${CHUNK.text}`;
  const plans = await place.database.query<{ 'QUERY PLAN': [{ Plan: Node }] }>({ name: '', text }, [
    name,
    0,
  ]);
  const nodes = plans.flatMap((row) => nodesOf(row['QUERY PLAN'][0].Plan));
  const encoding = nodes.filter(({ Output }) => Output.some((each) => each.includes('encode(')));
  // Above the LIMIT.
  expect(encoding.map((node) => node['Node Type'])).toEqual(['Subquery Scan']);
});
