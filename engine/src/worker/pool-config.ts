import { type Duration, toMs } from '../time/duration.ts';
import { MillraceError } from '../errors.ts';
import type { JobKind } from '../kinds/kind.ts';
import { checkPriority } from '../request.ts';
import type { Registry } from '../kinds/registry.ts';
import { type PauseWindow, checkWindow } from '../time/window.ts';

/** A workload's share of a worker: its own rhythm, batch and concurrency. */
export interface PoolConfig {
  readonly name: string;
  /** Left out: every kind that no other pool names. */
  readonly kinds?: readonly string[];
  readonly concurrency?: number;
  readonly batch?: number;
  /** Claims only while so many slots are free: worth it where a claim is a call that someone counts. */
  readonly least?: number;
  /**
   * So many suspects run together at first, half as many after each execution that lost its worker, and each alone in its last:
   * worth it where a turn costs calls that someone counts. Each alone unless given.
   */
  readonly together?: number;
  /** How long to wait after a claim that found something, and after one that found nothing. */
  readonly interval?: { readonly active: Duration; readonly idle: Duration };
  readonly minPriority?: number;
  readonly pauseWindows?: readonly PauseWindow[];
}

const DEFAULTS = { concurrency: 20, batch: 20, active: '5s', idle: '15s' } as const;

/** Fills in the defaults of a pool, and refuses settings that cannot work. */
export function settingsOf(config: PoolConfig): {
  concurrency: number;
  batch: number;
  least: number;
  together: number;
  activeMs: number;
  idleMs: number;
  windows: PauseWindow[];
} {
  const { concurrency = DEFAULTS.concurrency, batch = DEFAULTS.batch, least = 1 } = config;
  const { together = 1 } = config;
  if (![concurrency, batch].every((count) => Number.isInteger(count) && count >= 1)) {
    throw new MillraceError(
      'invalid_definition',
      `The pool "${config.name}" needs a whole concurrency and a whole batch of at least 1.`,
    );
  }
  if (!Number.isInteger(least) || least < 1 || least > Math.min(concurrency, batch)) {
    throw new MillraceError(
      'invalid_definition',
      `The pool "${config.name}" would never claim: \`least\` is a whole number from 1 to its batch and its concurrency.`,
    );
  }
  if (!Number.isInteger(together) || together < 1 || together > concurrency) {
    throw new MillraceError(
      'invalid_definition',
      `In the pool "${config.name}", \`together\` is a whole number from 1 to its concurrency.`,
    );
  }
  if (config.minPriority !== undefined) checkPriority(config.minPriority);
  return {
    concurrency,
    batch,
    least,
    together,
    activeMs: toMs(config.interval?.active ?? DEFAULTS.active),
    idleMs: toMs(config.interval?.idle ?? DEFAULTS.idle),
    windows: (config.pauseWindows ?? []).map(checkWindow),
  };
}

/** Kinds that no pool names share the pool without names; one is added if there is none. */
export function poolsOf(
  configs: readonly PoolConfig[],
  registry: Registry,
): { pool: PoolConfig; kinds: readonly JobKind[] }[] {
  const named = new Set<string>();
  for (const kind of configs.flatMap((config) => config.kinds ?? [])) {
    if (named.has(kind))
      throw new MillraceError('invalid_definition', `The kind "${kind}" is in two pools.`);
    named.add(kind);
  }
  const rest = registry.all().filter((kind) => !named.has(kind.kind));
  const hasRest = configs.some((config) => config.kinds === undefined);
  if (configs.filter((config) => config.kinds === undefined).length > 1) {
    throw new MillraceError(
      'invalid_definition',
      'Two pools name no kinds. Only one can have the rest.',
    );
  }
  const pools = [...configs, ...(hasRest ? [] : [{ name: 'default' }])]
    .map((pool) => ({
      pool,
      kinds: pool.kinds === undefined ? rest : pool.kinds.map((kind) => registry.require(kind)),
    }))
    .filter(({ kinds }) => kinds.length > 0);
  // Pool names are unique: after a lost answer a claim is asked for again by the name of its pool.
  refuseTwice(
    'pools',
    pools.map(({ pool }) => pool.name),
  );
  return pools;
}

export function refuseTwice(what: string, names: readonly string[]): void {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new MillraceError(
      'invalid_definition',
      `Two ${what} are called "${twice}". Rename one of them.`,
    );
}
