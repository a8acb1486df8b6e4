import type { Check } from '@millrace/api';
import type { Log, Store } from '@millrace/engine';
import type { PostgresStore } from '@millrace/store-postgres';
import type { HealthCheck, Org } from '@millrace/workload-kit';
import type { Keys } from './identity/keys.ts';

/** Something that takes longer than this to answer serves nobody. */
const LIMIT_MS = 2_000;

export async function runCheck(check: HealthCheck, log: Log): Promise<Check> {
  const began = performance.now();
  const { status, detail } = await check.run(log);
  const latencyMs = Math.round(performance.now() - began);
  return { name: check.name, ok: status === 'ok', status, latencyMs, ...(detail && { detail }) };
}

/**
 * `trouble` keeps a store from its work although it answers, such as a full disk; `stopped` is the end of it until a restart:
 * each in a sentence for anyone.
 */
export function storeCheck(
  store: Pick<Store, 'now'>,
  { trouble, stopped }: Pick<PostgresStore['database'], 'trouble' | 'stopped'> = WELL,
  /** Where it is, without a user or password. */
  place: string | null = null,
): HealthCheck {
  return {
    name: 'store',
    async run(log) {
      const error = await failureOf(store.now());
      const refuses = trouble();
      if (error === null && refuses === null) return { status: 'ok' };
      log.warn({ ...(error !== null && { err: error }), refuses }, 'the store is not ready');
      const comesBack =
        refuses === null
          ? `The store${place === null ? '' : ` at ${place}`} does not answer.`
          : `${refuses} Work goes on by itself once that is fixed.`;
      return { status: 'down', detail: stopped() ?? comesBack };
    },
  };
}

const WELL = { trouble: () => null, stopped: () => null };

/** With keys at hand tokens can be checked, even while the issuer is away. */
export function identityCheck(keys: Keys): HealthCheck {
  return {
    name: 'identity',
    async run(log) {
      const late = await failureOf(keys.check());
      const { count, failure } = keys.status();
      if (late === null && failure === null) return { status: 'ok' };
      log.warn(
        { failure: failure ?? 'no answer yet', keys: count },
        'the keys of the issuer cannot be fetched',
      );
      return count > 0
        ? {
            status: 'degraded',
            detail: 'The issuer does not answer; the keys fetched last are used.',
          }
        : { status: 'down', detail: 'The issuer’s keys have not been fetched yet.' };
    },
  };
}

/** Interactive work and all other kinds go on without it. */
export function orgCheck({ name, store, salesforce }: Org): HealthCheck {
  return {
    name: `salesforce:${name}`,
    async run(log) {
      const error = await failureOf(store.now().then(() => store.level()));
      if (error !== null) {
        log.warn({ err: error, org: name }, 'the Salesforce org is not ready');
        return { status: 'degraded', detail: 'The org does not answer.' };
      }
      const budget = salesforce.budget();
      if (budget.level === 'slow' || budget.level === 'stop') {
        const held = budget.level === 'slow' ? 'is slowed down' : 'is held back';
        const used = `${Math.round(budget.ratio * 100)} % of the API requests of the day are used`;
        return { status: 'degraded', detail: `${used}: batch work ${held}.` };
      }
      const apex = (await store.level()) === 'apex';
      return { status: 'ok', detail: apex ? 'Objects and Apex.' : 'Objects only.' };
    },
  };
}

/** The kinds of the database go on without it. */
export function redisCheck(store: Pick<Store, 'now'>): HealthCheck {
  return {
    name: 'redis',
    async run(log) {
      const error = await failureOf(store.now());
      if (error === null) return { status: 'ok' };
      log.warn({ err: error }, 'Redis is not ready');
      return { status: 'degraded', detail: 'Redis does not answer; its jobs wait.' };
    },
  };
}

async function failureOf(asked: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<unknown>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no answer within ${LIMIT_MS} ms`)), LIMIT_MS);
  });
  const answered = asked.then(
    () => null,
    (error: unknown) => error ?? new Error('failed'),
  );
  const failure = await Promise.race([answered, late]);
  clearTimeout(timer);
  return failure;
}
