import { type Count, EVERYTHING, type Store, hasTenant } from '@millrace/engine';
import { countsJson } from '../../routes/json/counts.ts';
import type { StreamFilter } from '../streams/filter.ts';
import { type Frame, eventFrame } from '../streams/frames.ts';
import { shared } from '../shared.ts';

/** The latest of something. A frame that has not changed stays the same object. */
export interface Board {
  /** A caller that comes while it is being read gets the same answer. */
  refresh(): Promise<void>;
  frames(filter: StreamFilter): readonly Frame[];
}

/** How many jobs there are, as the list of counts has it. */
export interface QueueBoard extends Board {
  /** Another number each time that the counts have changed. */
  version(): number;
  /** Forgets what was asked for by streams that have gone. */
  trim(filters: Iterable<StreamFilter>): void;
}

interface View {
  readonly version: number;
  readonly json: string;
  readonly frames: readonly Frame[];
}

export function createQueueBoard(store: Store): QueueBoard {
  let counts: readonly Count[] = [];
  let json = '';
  let version = 0;
  const views = new Map<string, View>();

  function viewOf(filter: StreamFilter): View {
    const key = viewKey(filter);
    const known = views.get(key);
    if (known?.version === version) return known;
    const event = queueEvent(counts, filter);
    const viewed = JSON.stringify(event);
    const frames = known?.json === viewed ? known.frames : [eventFrame(event)];
    const view = { version, json: viewed, frames };
    views.set(key, view);
    return view;
  }

  return {
    refresh: shared(async () => {
      const read = await store.counts();
      const now = JSON.stringify(queueEvent(read, { scope: EVERYTHING }));
      if (now === json) return;
      counts = read;
      json = now;
      version += 1;
    }),
    frames: (filter) => viewOf(filter).frames,
    version: () => version,
    trim(filters) {
      const wanted = new Set([...filters].map(viewKey));
      for (const key of views.keys()) if (!wanted.has(key)) views.delete(key);
    },
  };
}

function queueEvent(all: readonly Count[], { kind, tenant, scope }: StreamFilter) {
  const within = all.filter((each) => hasTenant(scope, each.tenant));
  const { states, scheduled, counts } = countsJson(within, { kind, tenant });
  return { type: 'queue' as const, states, scheduled, counts };
}

function viewKey({ kind, tenant, scope }: StreamFilter): string {
  return JSON.stringify([kind ?? null, tenant ?? null, scope.tenants]);
}
