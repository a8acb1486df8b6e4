import type { Overview, OverviewWindow } from '@millrace/api';
import { type Clock, type Schedule, type Scope, hasTenant, within } from '@millrace/engine';
import type { Figures } from '@millrace/store-postgres';
import { iso } from '@millrace/workload-kit';
import type { MainStore } from '../stores/parts.ts';
import { attentionOf } from './attention.ts';
import type { Budgets } from './budgets.ts';
import { type Errors, errorsOf } from './errors.ts';
import { type Flow, NOTHING, endedLately, enqueuedOf, flowOf } from './flow.ts';
import { createSharedCache } from './shared-cache.ts';
import { createPresent } from './present.ts';
import { THRESHOLDS } from './thresholds.ts';
import { runningOf, waitingOf } from './waiting.ts';
import { freshFor, historyRange } from './windows.ts';

/** The figures as a caller may see them: of their tenants. */
export interface FiguresWithin {
  overview(window: OverviewWindow): Promise<Overview>;
  history(asked: HistoryAsked): Promise<History>;
  errors(kind: string | undefined): Promise<Errors>;
}

export interface HistoryAsked {
  readonly kind?: string | undefined;
  readonly tenant?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
}

export interface History {
  readonly from: number;
  readonly to: number;
  readonly bucketMs: number;
  readonly buckets: readonly Pick<
    Overview['series'][number],
    'at' | 'enqueued' | 'succeeded' | 'failed' | 'canceled' | 'retried'
  >[];
}

export interface FiguresParts {
  readonly store: MainStore;
  readonly figures: Figures;
  readonly clock: Clock;
  /** Which stores do not answer. */
  readonly away: () => readonly string[];
  /** Kinds whose jobs are not in the database. */
  readonly beside: ReadonlySet<string>;
  readonly schedules: () => readonly Pick<Schedule, 'name'>[];
  readonly budgets: Budgets;
  /** Kinds whose executions make a document each. */
  readonly documentKinds: readonly string[];
}

export interface ServedFigures {
  readonly present: ReturnType<typeof createPresent>;
  within(scope: Scope): FiguresWithin;
}

const DAY_MS = 24 * 60 * 60_000;
/** Groups are read from up to 20,000 jobs. */
const ERRORS_FOR_MS = 5_000;
const HISTORY_FOR_MS = 2_000;
const LATELY_FOR_MS = 2_000;

export function serveFigures(parts: FiguresParts): ServedFigures {
  const { store, figures, clock, away, beside, schedules, budgets, documentKinds } = parts;
  const present = createPresent({ store, figures, clock });
  const shared = createSharedCache(clock).answer;

  function whole(scope: Scope): FiguresWithin {
    const { tenants, owner } = scope;
    // Cached for others of the scope: whoever reads is not part of it.
    const bare: Scope = { tenants, tenant: scope.tenant, owner };

    const errors = (kind: string | undefined): Promise<Errors> =>
      shared(['errors', tenants, owner, kind ?? null], ERRORS_FOR_MS, () =>
        errorsOf({ figures, store: within(store, bare), beside }, bare, kind),
      );

    const flow = (window: OverviewWindow, now: number): Promise<Flow> =>
      shared(['flow', tenants, window], freshFor(window), () =>
        flowOf({ figures, documentKinds }, bare, window, now),
      );

    async function overview(window: OverviewWindow): Promise<Overview> {
      const now = await present();
      const [{ from, ...flowing }, lately, { groups }, ofScope] = await Promise.all([
        flow(window, now.at),
        shared(['lately', tenants], LATELY_FOR_MS, () => endedLately(figures, tenants, now.at)),
        errors(undefined),
        budgets(bare),
      ]);
      return {
        at: iso(now.at),
        window,
        from: iso(from),
        waiting: waitingOf(now, ({ tenant }) => hasTenant(bare, tenant)),
        running: { total: runningOf(now.counts, bare), pools: [...now.pools] },
        ...flowing,
        figures: { ...flowing.figures, endedLately: lately },
        budgets: ofScope,
        replicas: [...now.replicas],
        attention: attentionOf({
          present: now,
          scope: bare,
          groups,
          budgets: ofScope,
          from,
          declared: schedules(),
        }),
        thresholds: THRESHOLDS,
        missing: [...away()],
      };
    }

    return {
      overview: (window) =>
        shared(['overview', tenants, owner, window], 1_000, () => overview(window)),
      async errors(kind) {
        const found = await errors(kind);
        if (found.groups.length > 0) scope.accessTrace?.touched(tenants);
        return found;
      },
      async history({ kind, tenant, from, to }) {
        const { at } = await present();
        const end = to ?? at;
        const range = historyRange(from ?? end - DAY_MS, end, at);
        const whose = {
          tenants: tenantsAsked(bare, tenant),
          ...(kind !== undefined && { kinds: [kind] }),
        };
        const sums = await shared(['history', whose, range], HISTORY_FOR_MS, () =>
          figures.sum({ ...range, ...whose }),
        );
        const byBucket = new Map(sums.map((each) => [each.bucket, each]));
        const length = Math.round((range.to - range.from) / range.bucketMs);
        return {
          ...range,
          buckets: Array.from({ length }, (_, bucket) => {
            const counted = byBucket.get(bucket) ?? NOTHING;
            const { succeeded, failed, canceled, retried } = counted;
            const begins = iso(range.from + bucket * range.bucketMs);
            const enqueued = enqueuedOf(counted);
            return { at: begins, enqueued, succeeded, failed, canceled, retried };
          }),
        };
      },
    };
  }

  return { present, within: whole };
}

/** A tenant that is not within is one that has nothing. */
function tenantsAsked(scope: Scope, tenant: string | undefined): readonly string[] | 'all' {
  if (tenant === undefined) return scope.tenants;
  return hasTenant(scope, tenant) ? [tenant] : [];
}
