import { STORED } from './promql.ts';

/** A dashboard as far as the tests read it. */
export interface Dashboard {
  readonly schemaVersion: number;
  readonly templating: { readonly list: readonly Variable[] };
  readonly panels: readonly Panel[];
}

interface Variable {
  readonly name: string;
  readonly type: string;
  readonly definition?: string;
  readonly includeAll?: boolean;
}

export interface Panel {
  readonly id: number;
  readonly title: string;
  readonly description: string;
  readonly gridPos: {
    readonly x: number;
    readonly y: number;
    readonly w: number;
    readonly h: number;
  };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
  readonly fieldConfig: {
    readonly defaults: { readonly thresholds?: { readonly steps: readonly Step[] } };
  };
}

interface Step {
  readonly color: string;
  readonly value: number | null;
}

/** An expression as Grafana would send it, with everything chosen. */
export function sentExpression(expr: string): string {
  return expr
    .replaceAll('$__rate_interval', '5m')
    .replaceAll('$__range', '1h')
    .replaceAll(/\$(?:job|kind|instance)\b/g, '.*');
}

/** What attributes can be; those that are not named here are `any`. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  dependency: ['any', 'reports_source'],
  outcome: ['succeeded', 'failed', 'ok', 'error'],
  percentile: ['50', '99', '100'],
  status: ['200', '503'],
};

/** Series of every metric there is, for promtool: an hour of a service that tells everything. */
export function everySeries(): { series: string; values: string }[] {
  return [...STORED].flatMap(([name, { metric, labels }]) => {
    const values = metric.type === 'gauge' ? '7x60' : '0+10x60';
    const choices = {
      job: ['millrace'],
      instance: ['a'],
      le: bucketsOf(metric.buckets),
      ...VALUES,
    };
    return combinations(labels, choices).map((set) => {
      const text = Object.entries(set).map(([label, value]) => `${label}="${value}"`);
      return { series: `${name}{${text.join(',')}}`, values };
    });
  });
}

function bucketsOf(buckets: readonly number[] = []): string[] {
  return [...buckets.map(String), '+Inf'];
}

function combinations(
  labels: readonly string[],
  choices: Readonly<Record<string, readonly string[]>>,
): Record<string, string>[] {
  return labels.reduce<Record<string, string>[]>(
    (sets, label) =>
      sets.flatMap((set) =>
        (choices[label] ?? ['any']).map((value) => ({ ...set, [label]: value })),
      ),
    [{}],
  );
}
