import type { JobKind, RuleBook, Schedule } from '@millrace/engine';
import type { RedisConfig } from '../config/redis.ts';
import { StartError } from '../start-error.ts';

/** In which store the jobs of a kind are, of those that are no org's. */
export interface Places {
  readonly main: readonly JobKind[];
  readonly redis: readonly JobKind[];
}

/**
 * Redis takes the kinds of workloads that want it and those of REDIS_KINDS. What a kind needs that Redis cannot do is refused
 * here: found out by the first job, it would be too late.
 */
export function placesOf(params: {
  readonly redis: RedisConfig | null;
  readonly kinds: readonly JobKind[];
  /** The workloads' kinds that ask for Redis. */
  readonly wanting: readonly string[];
  readonly rules: readonly Related[];
  readonly schedules: readonly Schedule[];
}): Places {
  const { redis, kinds, wanting, rules, schedules } = params;
  if (redis === null) return { main: kinds, redis: [] };
  for (const name of redis.kinds)
    if (!kinds.some(({ kind }) => kind === name))
      throw new StartError(`REDIS_KINDS: there is no kind "${name}" here.`);
  const onRedis = kinds.filter(({ kind }) => redis.kinds.includes(kind) || wanting.includes(kind));
  for (const kind of onRedis) refuseLacks(kind, rules, schedules);
  return { main: kinds.filter((kind) => !onRedis.includes(kind)), redis: onRedis };
}

type Related = Pick<RuleBook, 'name' | 'parents' | 'children'>;

function refuseLacks(
  kind: JobKind,
  rules: readonly Related[],
  schedules: readonly Schedule[],
): void {
  const name = kind.kind;
  const rule = rules.find(
    ({ parents, children }) => children.includes(name) || parents.includes(name),
  );
  const schedule = schedules.find(({ job }) => job.kind === name);
  const lacks: [boolean, string][] = [
    [rule !== undefined, `the rule "${rule?.name}" needs dependencies`],
    [schedule !== undefined, `the schedule "${schedule?.name}" needs schedules`],
    [kind.hasCleanup, 'its cleanup needs dependencies'],
    [kind.quota.running !== null, 'its quota of running jobs needs tenants that take turns'],
  ];
  const why = lacks.filter(([isLacking]) => isLacking).map(([, sentence]) => sentence);
  if (why.length > 0)
    throw new StartError(
      `The jobs of "${name}" cannot be in Redis: ${why.join('; ')}. Leave it in the database, or see docs/redis.md.`,
    );
}
