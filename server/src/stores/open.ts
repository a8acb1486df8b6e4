import type { Dependants, NewJob } from '@millrace/engine';
import type { PostgresStore } from '@millrace/store-postgres';
import type { Org } from '@millrace/workload-kit';
import type { Closing } from '../closing.ts';
import type { Config } from '../config/config.ts';
import type { Logger } from '../log/log.ts';
import { openStore } from '../store.ts';
import { traceStore } from '../telemetry/store.ts';
import type { Telemetry } from '../telemetry/types.ts';
import { type Away, createAway } from './away.ts';
import { beside } from './beside.ts';
import { joinStores } from './joined.ts';
import { openRedis } from './redis.ts';
import type { MainStore } from './parts.ts';

/** Where the jobs are. */
export interface Stores {
  readonly database: PostgresStore;
  /** The database, measured: the main worker works on it. */
  readonly main: MainStore;
  /** The store of each org, with the pauses of the main store; the worker of the org uses it. */
  readonly ofOrgs: ReadonlyMap<string, MainStoreSide>;
  /** The same of Redis; null: there is none. */
  readonly redis: MainStoreSide | null;
  /** All of them as one, for those who ask about jobs. */
  readonly joined: MainStore;
  readonly away: Away;
  /** Listens for jobs enqueued in Redis; the database announces its own. One listener at a time. */
  onMadeBeside(made: Made): void;
}

type Made = (jobs: readonly NewJob[]) => void;

type MainStoreSide = ReturnType<typeof beside>;

export async function openStores(params: {
  readonly config: Config;
  readonly dependants: Dependants;
  readonly orgs: readonly (Org & { readonly kinds: readonly string[] })[];
  readonly onRedis: readonly string[];
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly closing: Closing;
}): Promise<Stores> {
  const { config, dependants, orgs, onRedis, telemetry, log, closing } = params;
  const database = await openStore(config, dependants, log);
  closing.add(() => database.close());
  const main = traceStore(database, telemetry);
  const sides = orgs.map(({ name, store, kinds }) => {
    closing.add(() => store.close());
    return {
      name,
      place: name,
      kinds,
      store: beside(traceStore(store, telemetry, 'salesforce'), main, Date.now),
    };
  });
  // Without a kind that wants it, nothing depends on its being there.
  const redis =
    config.redis === null || onRedis.length === 0 ? null : await openRedis(config.redis, log);
  if (redis !== null) closing.add(() => redis.close());
  let made: Made = () => {};
  const besideRedis =
    redis === null
      ? null
      : beside(traceStore(redis, telemetry, 'redis'), main, Date.now, 0, (jobs) => made(jobs));
  const all = [
    ...sides,
    ...(besideRedis === null ? [] : [{ place: 'redis', store: besideRedis, kinds: onRedis }]),
  ];
  const away = createAway(all, (store, err) =>
    log.warn({ store, err }, 'a store beside the database does not answer; its jobs are left out'),
  );
  const joined = joinStores(main, all, away);
  const onMadeBeside = (listener: Made): void => void (made = listener);
  const ofOrgs = new Map(sides.map(({ name, store }) => [name, store]));
  return { database, main, ofOrgs, redis: besideRedis, joined, away, onMadeBeside };
}
