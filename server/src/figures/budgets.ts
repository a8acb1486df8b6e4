import type { Budget } from '@millrace/api';
import { type Scope, hasTenant } from '@millrace/engine';
import type { Org, WorkloadBudget } from '@millrace/workload-kit';
import { THRESHOLDS } from './thresholds.ts';

/** Limited resources and their usage: of the service, and of the orgs of the caller's tenants. */
export type Budgets = (scope: Scope) => Promise<Budget[]>;

export interface Connections {
  readonly used: number;
  readonly limit: number;
  readonly waiting: number;
}

export function createBudgets(params: {
  readonly orgs: readonly Pick<Org, 'name' | 'tenant' | 'salesforce'>[];
  readonly workloads: () => Promise<readonly WorkloadBudget[]>;
  /** Null: there are none. */
  readonly connections: () => Connections | null;
}): Budgets {
  const { orgs, workloads, connections } = params;
  return async (scope) => [
    ...orgs
      .filter(({ tenant }) => hasTenant(scope, tenant))
      .flatMap((org) => ofOrg(org, orgs.length)),
    ...(await workloads())
      .filter(({ tenant }) => tenant === undefined || hasTenant(scope, tenant))
      .map(budgetJson),
    ...ofDatabase(connections()),
  ];
}

const HELD = {
  fine: undefined,
  slow: 'Batch work claims once a minute; interactive requests are served at once.',
  stop: 'Batch work is stopped; interactive requests are still served.',
} as const;

function ofOrg({ name, salesforce }: Pick<Org, 'name' | 'salesforce'>, count: number): Budget[] {
  const budget = salesforce.budget();
  if (budget.level === 'unknown') return [];
  const { level, used, max } = budget;
  const detail = HELD[level];
  return [
    budgetJson({
      id: `salesforce:${name}`,
      name: count === 1 ? 'Salesforce' : `Salesforce ${name}`,
      used,
      limit: max,
      unit: 'calls',
      warnAt: Math.round(max * THRESHOLDS.budget.warn),
      stopAt: Math.round(max * THRESHOLDS.budget.stop),
      ...(detail !== undefined && { detail }),
    }),
  ];
}

function ofDatabase(connections: Connections | null): Budget[] {
  if (connections === null) return [];
  return [
    budgetJson({
      id: 'postgres:connections',
      name: 'Connections',
      unit: 'connections',
      detail: 'Connections of the answering replica to Postgres.',
      ...connections,
    }),
  ];
}

function budgetJson(budget: WorkloadBudget): Budget {
  const { id, name, used, limit, unit, waiting, warnAt, stopAt, hitRate, detail } = budget;
  return {
    id,
    name,
    used,
    limit,
    unit,
    waiting: waiting ?? null,
    warnAt: warnAt ?? null,
    stopAt: stopAt ?? null,
    hitRate: hitRate ?? null,
    detail: detail ?? null,
  };
}
