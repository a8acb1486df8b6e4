import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import type { Metric } from '@millrace/workload-kit/contract';
import { METRICS, type MetricName } from '../server/src/telemetry/metrics/metrics.ts';
import { start } from '../server/test/telemetry.ts';
import { dashboards as built } from './operations/dashboards/build.mjs';
import { type KqlAlert, kqlAlertsOf, limitsOf } from './test/kql.ts';
import { sectionsOf } from './test/markdown.ts';
import { type Dashboard, type Panel, everySeries, sentExpression } from './test/panels.ts';
import { faultsIn, readPromql, recordedBy } from './test/promql.ts';
import { promtool } from './test/promtool.ts';

// Alerts, their twins for Azure Monitor, and dashboards: that they ask for what the service tells, that promtool takes
// them, and that each alert leads to its section of the runbook. The runbook's own commands are in runbook.long.test.ts.

const folder = join(import.meta.dirname, 'operations');
const read = (name: string) => readFile(join(folder, name), 'utf8');

interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: Readonly<Record<string, string>>;
}
type Rule = AlertRule | { readonly record: string; readonly expr: string };

const { groups } = parse(await read('alerts.yml')) as { groups: { name: string; rules: Rule[] }[] };
const rules = groups.flatMap(({ rules: each }) => each);
const alerts = rules.filter((rule): rule is AlertRule => 'alert' in rule);
const recorded = recordedBy(rules.filter((rule) => 'record' in rule));
const kql = kqlAlertsOf(await read('alerts.kql'));
const runbook = sectionsOf(await read('runbook.md'));

describe('alerts.yml', () => {
  it('is taken by promtool', async () => {
    expect(await promtool(['check', 'rules', 'alerts.yml'], folder)).toContain('SUCCESS');
  });

  it.each(alerts.map(({ alert }) => alert))(
    '%s is made to fire in alerts.test.yml',
    async (name) => {
      expect(await read('alerts.test.yml')).toContain(`alertname="${name}"`);
    },
  );

  it.each(rules.map((rule) => ['alert' in rule ? rule.alert : rule.record, rule.expr]))(
    '%s asks for metrics and labels that there are',
    (_, expr) => expect(faultsIn(expr, recorded)).toEqual([]),
  );

  it.each(alerts)(
    '$alert says what it is and where to read on',
    ({ labels, annotations, alert }) => {
      expect(labels.severity).toMatch(/^(warning|critical)$/);
      expect(annotations['summary']).toMatch(/\w/);
      expect(annotations['description']).toMatch(/\.$/);
      const [page, anchor] = annotations['runbook_url']?.split('#') ?? [];
      expect(page).toBe('docs/operations/runbook.md');
      const section = runbook.find((each) => each.anchor === anchor);
      expect(
        section?.text,
        `runbook.md has no section #${anchor}, or it does not name the alert`,
      ).toContain(`\`${alert}\``);
    },
  );
});

describe('alerts.kql', () => {
  it('has a twin of every alert, in the same order', () => {
    expect(kql.map(({ alert }) => alert)).toEqual(alerts.map(({ alert }) => alert));
  });

  it.each(kql)(
    '$alert has the severity, the limits and the runbook of its twin',
    (twin: KqlAlert) => {
      const rule = alerts.find(({ alert }) => alert === twin.alert);
      expect(twin.severity).toBe(rule?.labels.severity);
      expect(twin.runbook).toBe(rule?.annotations['runbook_url']);
      expect(limitsOf(twin.query.split('\n').at(-1) ?? '')).toEqual(limitsOf(rule?.expr ?? ''));
    },
  );

  it.each(kql)(
    '$alert asks for metrics and attributes that there are',
    ({ metrics, attributes }) => {
      expect(metrics).not.toEqual([]);
      expect(metrics.filter((name) => !(name in METRICS))).toEqual([]);
      const known = metrics.flatMap(
        (name): readonly string[] => METRICS[name as MetricName].attributes,
      );
      expect(attributes.filter((name) => !known.includes(name))).toEqual([]);
    },
  );
});

const files = (await readdir(join(folder, 'dashboards'))).filter((name) => name.endsWith('.json'));
const dashboards = await Promise.all(
  files.map(async (file) => ({
    file,
    content: JSON.parse(await read(`dashboards/${file}`)) as Dashboard,
  })),
);
const panels = dashboards.flatMap(({ file, content }) =>
  content.panels.map((panel) => ({ of: `${file}: ${panel.title}`, panel })),
);
const queries = panels.flatMap(({ of, panel }) =>
  panel.targets.map((target, index) => ({ of: `${of} (${index + 1})`, ...target })),
);

describe('dashboards', () => {
  it.each(Object.entries(built))(
    '%s.json is what build.mjs makes (node docs/operations/dashboards/build.mjs)',
    async (name, content) => {
      expect(JSON.parse(await read(`dashboards/${name}.json`))).toEqual(content);
    },
  );

  it('are six, and no other file lies about', () => {
    expect(files.toSorted()).toEqual(
      ['capacity', 'overview', 'performance', 'queries', 'reliability', 'reports'].map(
        (name) => `${name}.json`,
      ),
    );
  });

  it.each(dashboards)(
    '$file can be chosen by kind and replica, on any data source',
    ({ content }) => {
      expect(content.schemaVersion).toBe(39);
      const variables = content.templating.list.map(({ name }) => name);
      expect(variables).toEqual(['datasource', 'job', 'kind', 'instance']);
      for (const { definition } of content.templating.list) {
        const selector = /^label_values\((.*), \w+\)$/.exec(definition ?? '')?.[1];
        if (selector !== undefined) expect(faultsIn(selector)).toEqual([]);
      }
      const sources = [...JSON.stringify(content).matchAll(/"type":"prometheus","uid":"([^"]*)"/g)];
      expect(new Set(sources.map(([, uid]) => uid))).toEqual(new Set(['${datasource}']));
    },
  );

  it.each(dashboards)('$file has its panels side by side', ({ content }) => {
    expect(new Set(content.panels.map(({ id }) => id)).size).toBe(content.panels.length);
    for (const panel of content.panels) {
      expect(panel.gridPos.x + panel.gridPos.w).toBeLessThanOrEqual(24);
      expect(content.panels.filter((other) => other !== panel && overlap(panel, other))).toEqual(
        [],
      );
    }
  });

  it.each(panels)('$of says what it shows, with limits that rise', ({ panel }) => {
    expect(panel.description).toMatch(/\.$/);
    const [first, ...steps] = panel.fieldConfig.defaults.thresholds?.steps ?? [{ value: null }];
    expect(first?.value).toBeNull();
    const values = steps.map(({ value }) => value ?? Number.NaN);
    expect(values).toEqual(values.toSorted((a, b) => a - b));
  });

  it.each(queries)('$of asks for metrics and labels that there are', ({ expr, legendFormat }) => {
    expect(faultsIn(expr)).toEqual([]);
    const { groupings } = readPromql(expr);
    const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
    expect(shown.filter((label) => !groupings.includes(label))).toEqual([]);
  });

  it.each(queries)('$of never adds up what each replica tells of the whole store', ({ expr }) => {
    for (const name of ['queue_depth', 'queue_scheduled', 'jobs_running', 'jobs_failed']) {
      const times = expr.split(`${name}{`).length - 1;
      expect(expr.split(`max by (job, kind) (${name}{`).length - 1).toBe(times);
    }
  });

  it('draw the limits of the alerts', () => {
    const drawn = panels.flatMap(({ panel }) =>
      (panel.fieldConfig.defaults.thresholds?.steps ?? []).map(({ value }) => value),
    );
    // Queue depth, success, document duration, retries, cache, event loop, API usage: from alerts.yml, the minimum
    // volumes apart.
    const limits = alerts
      .filter(({ alert }) =>
        /QueueDepth|SuccessRate|Documents|RetryRate|Cache|EventLoop|Usage/.test(alert),
      )
      .map(({ expr }) => Number(limitsOf(expr)[0]?.split(' ')[1]));
    expect(limits).toHaveLength(13);
    expect(limits.filter((limit) => !drawn.includes(limit))).toEqual([]);
  });
});

describe('with promtool', () => {
  let temporary: string;
  beforeAll(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'millrace-promtool-'));
  });
  afterAll(() => rm(temporary, { recursive: true, force: true }));

  it('the scrape configuration of the README is one', async () => {
    const text = /```yaml\n(.*?)```/s.exec(await read('README.md'))?.[1] ?? '';
    await writeFile(join(temporary, 'prometheus.yml'), text);
    const said = await promtool(['check', 'config', '--syntax-only', 'prometheus.yml'], temporary);
    expect(said).toContain('SUCCESS');
  });

  it('every metric that there is has nothing to be said about', async () => {
    const telemetry = await start();
    for (const name of Object.keys(METRICS) as MetricName[]) {
      const { type, attributes }: Metric = METRICS[name];
      const by = { counter: 'count', histogram: 'record', gauge: 'setGauge' } as const;
      const tell = telemetry[by[type]] as (...args: unknown[]) => void;
      tell(name, 7, Object.fromEntries(attributes.map((each) => [each, '1'])));
    }
    const text = await telemetry.scrape();
    await telemetry.stop();
    expect(text.match(/^# TYPE /gm)?.length).toBeGreaterThan(Object.keys(METRICS).length);
    expect(await promtool(['check', 'metrics'], temporary, text)).toBe('');
  });

  // As an alert "there is something to show", on an hour of a service that tells every metric of the table.
  it(
    'every query of the dashboards is PromQL, and shows something',
    { timeout: 120_000 },
    async () => {
      const named = queries.map(({ expr }, index) => ({
        alert: `Panel${index}`,
        expr: `count(${sentExpression(expr)}) > 0`,
      }));
      await writeFile(
        join(temporary, 'panels.yml'),
        JSON.stringify({ groups: [{ name: 'panels', rules: named }] }),
      );
      const firing = {
        expr: 'sum by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: '1h',
        exp_samples: named.map(({ alert }) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
      };
      await writeFile(
        join(temporary, 'panels.test.yml'),
        JSON.stringify({
          rule_files: ['panels.yml'],
          evaluation_interval: '30m',
          tests: [{ interval: '1m', input_series: everySeries(), promql_expr_test: [firing] }],
        }),
      );
      expect(await promtool(['check', 'rules', 'panels.yml'], temporary)).toContain('SUCCESS');
      expect(await promtool(['test', 'rules', 'panels.test.yml'], temporary)).toContain('SUCCESS');
    },
  );
});

function overlap({ gridPos: a }: Panel, { gridPos: b }: Panel): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
