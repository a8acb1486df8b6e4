import { TOPICS, type Topic } from '@millrace/api';
import type { Scope } from '@millrace/engine';
import type { Thing, Topic as TopicOfWorkload } from '@millrace/workload-kit';
import type { Traits } from './streams/filter.ts';
import { nameOf, partsOf } from './topics.ts';

/** Items of workloads in streams, read by the names in announcements. */
export interface Things {
  read(names: readonly string[]): Promise<readonly ThingEvent[]>;
  /** The one that is asked for, or those that a new stream is sent first. */
  present(
    topics: ReadonlySet<Topic>,
    scope: Scope,
    id: string | undefined,
  ): Promise<readonly ThingEvent[]>;
}

export interface ThingEvent {
  readonly name: string;
  readonly traits: Traits;
  readonly event: Thing['event'];
}

export function createThings(readers: ReadonlyMap<string, TopicOfWorkload>): Things {
  /** Only topics that clients can request are sent. */
  const known = TOPICS.flatMap((topic) => {
    const reader = readers.get(topic);
    return reader === undefined ? [] : [{ topic, reader }];
  });

  async function all(
    read: (topic: Topic, reader: TopicOfWorkload) => Promise<readonly Thing[]>,
  ): Promise<ThingEvent[]> {
    const found = await Promise.all(
      known.map(async ({ topic, reader }) =>
        (await read(topic, reader)).map((thing) => told(topic, thing)),
      ),
    );
    return found.flat();
  }

  return {
    async read(names) {
      const wanted = names.map(partsOf);
      return all(async (topic, reader) => {
        const ids = wanted.flatMap((each) => (each.topic === topic ? [each.id] : []));
        return ids.length === 0 ? [] : reader.read([...new Set(ids)]);
      });
    },
    present: (topics, scope, id) =>
      all(async (topic, reader) => {
        if (!topics.has(topic)) return [];
        return id === undefined ? reader.present(scope) : reader.read([id]);
      }),
  };
}

function told(topic: Topic, { id, tenant, submitter, event }: Thing): ThingEvent {
  const traits = { topic, id, tenant, submitter, kind: null, state: null, correlationId: null };
  return { name: nameOf(topic, id), traits, event };
}
