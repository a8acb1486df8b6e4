import {
  type JobKind,
  type Rule,
  type Run,
  WEBHOOK_KIND,
  defineJob,
  defineRule,
  done,
} from '@millrace/engine';
import type { RetryPolicy } from '@millrace/engine';
import { z } from 'zod';
import type { ObservedRule } from '../observe/follow-ups.ts';
import {
  type Data,
  type Surroundings,
  chunked,
  dataSchema,
  deadly,
  family,
  plain,
  poisonous,
  poller,
  slow,
} from './handlers.ts';

/** The kinds a scenario may have; `plain` is always there, for the children of others. */
export const KIND_NAMES = [
  'plain',
  'flaky',
  'slow',
  'hung',
  'poller',
  'chunked',
  'family',
  'north',
  'south',
  'west',
  'solo',
  'tenanted',
  'fragile',
  'deadly',
  'poisonous',
  'mayfly',
] as const;

export type KindName = (typeof KIND_NAMES)[number];

/** Kinds that belong together. */
export const THEMES: [readonly KindName[], ...(readonly KindName[])[]] = [
  ['flaky'],
  ['slow'],
  ['hung'],
  ['poller'],
  ['chunked'],
  ['family'],
  ['north', 'south'],
  ['north', 'south', 'west'],
  ['solo'],
  ['tenanted'],
  ['fragile'],
  ['deadly'],
  ['poisonous'],
  ['mayfly'],
];

/** Made by rules and schedules alone. */
const MADE = ['joined', 'met', 'follower', 'tick'] as const;

export interface KindSettings {
  readonly retry: RetryPolicy;
  readonly concurrency: number;
  /** The limit of `tenanted`. */
  readonly quota: number;
  readonly timeoutMs: number;
}

const RULES: readonly ObservedRule[] = [
  {
    name: 'join',
    parents: ['north', 'south', 'west'],
    child: 'joined',
    when: 'succeeded',
    withinMs: 90_000,
  },
  {
    name: 'meet',
    parents: ['north', 'south'],
    child: 'met',
    when: 'succeeded',
    withinMs: 86_400_000,
  },
  { name: 'follow', parents: ['solo'], child: 'follower', when: 'finished', withinMs: 86_400_000 },
];

/** Kinds that have something to clean up. */
export const CLEANUPS: readonly string[] = ['fragile'];

const RUNS: Readonly<
  Record<KindName, (around: Surroundings, ...args: Parameters<Run<Data>>) => ReturnType<Run<Data>>>
> = {
  plain,
  flaky: plain,
  slow,
  hung: plain,
  poller,
  chunked,
  family,
  north: plain,
  south: plain,
  west: plain,
  solo: plain,
  tenanted: plain,
  fragile: plain,
  deadly,
  poisonous,
  mayfly: plain,
};

/** The kinds as one process declares them: their handlers know where they run. */
export function kindsIn(
  around: Surroundings,
  wanted: readonly KindName[],
  settings: (kind: string) => KindSettings,
): JobKind[] {
  const asked = wanted.map((kind) => kindIn(around, kind, RUNS[kind], settings(kind)));
  const made = MADE.map((kind) => kindIn(around, kind, plain, settings(kind)));
  return [...asked, ...made, webhookIn(around)];
}

function kindIn(
  around: Surroundings,
  kind: string,
  run: (typeof RUNS)[KindName],
  { retry, concurrency, quota, timeoutMs }: KindSettings,
): JobKind {
  return defineJob<Data>({
    kind,
    input: dataSchema,
    retry,
    concurrency,
    timeout: timeoutMs,
    run: (job, context) => run(around, job, context, undefined),
    ...(kind === 'tenanted' && { quota: { running: quota } }),
    ...(kind === 'mayfly' && {
      retention: { succeeded: '20s', failed: '20s', canceled: '20s' },
      purgePayload: true,
    }),
    ...(CLEANUPS.includes(kind) && {
      cleanup: async (_job, context) => {
        const execution = around.executions.begin(around.host, `${kind}.cleanup`, context, 1);
        execution.end('done');
      },
    }),
  });
}

function webhookIn({ executions, host }: Surroundings): JobKind {
  return defineJob({
    kind: WEBHOOK_KIND,
    input: z.object({ job: z.string(), state: z.string(), url: z.string() }),
    async run(_job, context) {
      executions.begin(host, WEBHOOK_KIND, context, 1).end('done');
      return done();
    },
  });
}

export function rulesAmong(kinds: readonly string[]): readonly ObservedRule[] {
  return RULES.filter(({ parents }) => parents.every((parent) => kinds.includes(parent)));
}

export function rulesIn(kinds: readonly string[]): Rule[] {
  return rulesAmong(kinds).map((rule) =>
    defineRule({
      name: rule.name,
      parents: rule.parents,
      child: rule.child,
      when: rule.when,
      within: rule.withinMs,
      // Null when the parent was erased.
      match: ({ data }) => (data === null ? null : ((data as Data).group ?? '')),
      data: ({ id }, key) => ({ tag: `${rule.name} ${id}`, group: key }),
    }),
  );
}
