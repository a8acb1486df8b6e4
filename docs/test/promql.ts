import { METRICS, type MetricName } from '../../server/src/telemetry/metrics/metrics.ts';
import { prometheusLabel, prometheusName } from '../../server/src/telemetry/metrics/prometheus.ts';
import type { Metric } from '@millrace/workload-kit/contract';

/** What an expression asks for: enough of PromQL to hold names and labels against the table of metrics. */
export interface Asked {
  readonly selectors: readonly Selector[];
  /** Labels that are grouped, matched or kept by. */
  readonly groupings: readonly string[];
}

export interface Selector {
  /** Empty where only the braces stand. */
  readonly name: string;
  readonly matchers: readonly Matcher[];
}

export interface Matcher {
  readonly label: string;
  readonly operator: '=' | '=~' | '!=' | '!~';
  readonly value: string;
}

/** Given by Prometheus itself to everything it scrapes. */
const OF_PROMETHEUS = ['job', 'instance'];

const WORDS = new Set(['and', 'or', 'unless', 'offset', 'bool', 'by', 'on', 'inf', 'nan']);
const GROUPING = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
const BRACES = /([a-zA-Z_:][\w:]*)?\{([^}]*)\}/g;
const MATCHER = /(\w+)\s*(=~|!~|!=|=)\s*"([^"]*)"/g;

export function readPromql(expr: string): Asked {
  const groupings = [...expr.matchAll(GROUPING)].flatMap(([, list = '']) =>
    list.split(',').map((label) => label.trim()),
  );
  const rest = expr.replaceAll(GROUPING, ' ');
  const braced = [...rest.matchAll(BRACES)].map(([, name = '', inside = '']) => ({
    name,
    matchers: [...inside.matchAll(MATCHER)].map(([, label = '', operator, value = '']) => ({
      label,
      operator: operator as Matcher['operator'],
      value,
    })),
  }));
  const bare = [
    ...rest
      .replaceAll(BRACES, ' ')
      .replaceAll(/\[[^\]]*\]|\boffset\s+\S+/g, ' ')
      .matchAll(/(?<![\w.])([a-zA-Z_:][\w:]*)(\s*\()?/g),
  ]
    .filter(([, name = '', call]) => call === undefined && !WORDS.has(name))
    .map(([, name = '']) => ({ name, matchers: [] }));
  return {
    selectors: [...braced, ...bare],
    groupings: groupings.filter((label) => label !== ''),
  };
}

/** A metric as Prometheus stores it. */
export interface Stored {
  readonly metric: Metric;
  readonly labels: readonly string[];
}

/** Every name that the exporter makes of the table. */
export const STORED: ReadonlyMap<string, Stored> = new Map(
  (Object.keys(METRICS) as MetricName[]).flatMap((name): [string, Stored][] => {
    const metric: Metric = METRICS[name];
    const labels = [...metric.attributes.map(prometheusLabel), ...OF_PROMETHEUS];
    const shown = prometheusName(name);
    if (metric.type !== 'histogram') return [[shown, { metric, labels }]];
    return [
      [`${shown}_bucket`, { metric, labels: [...labels, 'le'] }],
      [`${shown}_sum`, { metric, labels }],
      [`${shown}_count`, { metric, labels }],
    ];
  }),
);

/** Names that rules make, with their labels. */
export type Recorded = ReadonlyMap<string, readonly string[]>;

/** Each rule may stand on those before it. */
export function recordedBy(rules: readonly { record: string; expr: string }[]): Recorded {
  const recorded = new Map<string, readonly string[]>();
  for (const { record, expr } of rules) {
    const { selectors, groupings } = readPromql(expr);
    const inherited = selectors.flatMap(({ name }) => labelsOf(name, recorded) ?? []);
    recorded.set(record, groupings.length > 0 ? groupings : inherited);
  }
  return recorded;
}

/** What is wrong with an expression: names and labels that are nowhere. */
export function faultsIn(expr: string, recorded: Recorded = new Map()): string[] {
  const { selectors, groupings } = readPromql(expr);
  const known = selectors.flatMap(({ name }) => labelsOf(name, recorded) ?? []);
  const nameless = selectors.some(({ name }) => name === '');
  return [
    ...selectors.flatMap((selector) => faultsOf(selector, recorded)),
    ...groupings
      .filter((label) => !nameless && !known.includes(label))
      .map((label) => `nothing in it has the label ${label}`),
  ];
}

function faultsOf({ name, matchers }: Selector, recorded: Recorded): string[] {
  if (name === '') return matchers.flatMap((matcher) => faultsOfNameless(matcher, recorded));
  const labels = labelsOf(name, recorded);
  if (labels === null) return [`there is no metric ${name}`];
  const buckets = STORED.get(name)?.metric.buckets?.map(String) ?? [];
  return matchers.flatMap(({ label, value }) => {
    if (!labels.includes(label)) return `${name} has no label ${label}`;
    return label === 'le' && !buckets.includes(value) ? `${name} has no bucket ${value}` : [];
  });
}

function faultsOfNameless({ label, value }: Matcher, recorded: Recorded): string[] {
  const pattern = new RegExp(`^(?:${value})$`);
  if (label === '__name__' && [...recorded.keys()].some((name) => pattern.test(name))) return [];
  return [`{${label}="${value}"} selects nothing that is recorded`];
}

function labelsOf(name: string, recorded: Recorded): readonly string[] | null {
  return recorded.get(name) ?? STORED.get(name)?.labels ?? null;
}
