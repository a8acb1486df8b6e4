import {
  type JobKind,
  type PoolConfig,
  type Rule,
  type RuleBook,
  type Schedule,
  type Store,
  schedulesNow,
} from '@millrace/engine';
import type { DeclaredKind, Surroundings, Workload } from '@millrace/workload-kit';
import { StartError } from '../start-error.ts';

/** Everything that the workloads declare, before a store is open. */
export interface DeclaredWorkloads {
  /** Those that are not switched off. */
  readonly active: readonly ActiveWorkload[];
  /** In the main store. */
  readonly kinds: readonly JobKind[];
  /** The names of those kinds whose jobs are stored in Redis if there is one. */
  readonly wantRedis: readonly string[];
  /** Names of those, wherever their jobs are, that make a document with each execution. */
  readonly documentKinds: readonly string[];
  readonly rules: readonly Rule[];
  readonly books: readonly RuleBook[];
  /** As they are now: files that declare some may change. */
  readonly schedules: () => readonly Schedule[];
  readonly pools: readonly PoolConfig[];
  kindsOf(org: string): readonly JobKind[];
  /** Kinds of which only so many can run here at once, together. */
  readonly rooms: ReadonlyMap<string, number>;
  /** Refuses to start where the store of a kind lacks what the kind needs. */
  check(main: Store, orgs: ReadonlyMap<string, Store>, redis?: Store | null): void;
}

export interface ActiveWorkload {
  readonly workload: Workload;
  readonly config: unknown;
  /** The result of its `load`. */
  readonly loaded: unknown;
  readonly kinds: readonly JobKind[];
}

export async function declareWorkloads(
  workloads: readonly Workload[],
  configs: ReadonlyMap<string, unknown>,
  around: Surroundings,
): Promise<DeclaredWorkloads> {
  const active = await Promise.all(
    workloads
      .filter(({ name }) => configs.has(name))
      .map(async (workload) => {
        const config = configs.get(workload.name);
        const loaded = await workload.load?.(config);
        return { workload, config, loaded, ...workload.declare(config, around, loaded) };
      }),
  );
  const kinds = active.flatMap((each) => each.kinds);
  const onOrg = (name: string | undefined) =>
    kinds.filter(({ org }) => org === name).map(({ kind }) => kind);
  return {
    active: active.map(({ workload, config, loaded, kinds: own }) => ({
      workload,
      config,
      loaded,
      kinds: own.map(({ kind }) => kind),
    })),
    kinds: onOrg(undefined),
    wantRedis: kinds.filter(({ redis }) => redis === true).map(({ kind }) => kind.kind),
    documentKinds: kinds.filter(({ makes }) => makes === 'document').map(({ kind }) => kind.kind),
    rules: active.flatMap(({ rules = [] }) => rules),
    books: active.flatMap(({ books = [] }) => books),
    schedules: () => active.flatMap(({ schedules = [] }) => schedulesNow(schedules)),
    pools: active.flatMap(({ pools = [] }) => pools),
    kindsOf: onOrg,
    rooms: new Map(
      kinds.flatMap(({ kind, room }) => (room === undefined ? [] : [[kind.kind, room]])),
    ),
    check(main, orgs, redis = null) {
      for (const declared of kinds) {
        const own = declared.redis === true ? (redis ?? main) : main;
        refuseLacks(declared, declared.org === undefined ? own : orgs.get(declared.org));
      }
    },
  };
}

function refuseLacks({ kind, org, needs = [] }: DeclaredKind<unknown>, store?: Store): void {
  if (store === undefined)
    throw new StartError(
      `The kind "${kind.kind}" is for the org "${org}", which is not configured.`,
    );
  const lacking = needs.filter((part) => store[part] === undefined);
  if (lacking.length === 0) return;
  throw new StartError(
    `The kind "${kind.kind}" needs ${lacking.join(' and ')}, which the store "${store.name}" does not support. docs/guarantees.md lists what each store supports.`,
  );
}
