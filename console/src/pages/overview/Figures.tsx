import type { ReactNode } from 'react';
import { percent, span } from '../../time/words.ts';
import { Spark } from '../../ui/spark.tsx';
import type { Overview } from './overview.ts';

/** The figures with their thresholds in words, as the runbook has them. */
export function Figures({
  overview: { figures, series, thresholds, budgets },
}: {
  overview: Overview;
}) {
  const cache = budgets.find(({ hitRate }) => hitRate !== null);
  const share = (part: (bucket: Overview['series'][number]) => number): (number | null)[] =>
    series.map((bucket) => {
      const ended = bucket.succeeded + bucket.failed;
      return ended === 0 ? null : part(bucket) / ended;
    });
  return (
    <dl className="grid grid-cols-6 border-y border-line max-xl:grid-cols-3 max-md:grid-cols-2">
      <Figure name="Throughput" value={short(figures.perMinute)} unit="/min" note={change(figures)}>
        <Spark values={series.map(({ succeeded, failed }) => succeeded + failed)} />
      </Figure>
      <Figure
        name="Oldest due"
        {...split(seconds(series.at(-1)?.oldestDueSeconds ?? null))}
        note={
          figures.peakOldestDueSeconds === null
            ? 'nothing waited'
            : `peak ${seconds(figures.peakOldestDueSeconds)}`
        }
      >
        <Spark values={series.map(({ oldestDueSeconds }) => oldestDueSeconds)} />
      </Figure>
      <Figure
        name="Success"
        {...split(figures.successRate === null ? '–' : percent(figures.successRate))}
        note={`alert under ${percent(thresholds.successRate.warn, 0)}`}
      >
        <Spark
          values={share(({ succeeded }) => succeeded)}
          threshold={thresholds.successRate.warn}
          tone="succeeded-fill"
        />
      </Figure>
      <Figure
        name="Retries"
        {...split(figures.retryRate === null ? '–' : percent(figures.retryRate))}
        note={`alert over ${percent(thresholds.retryRate.warn, 0)}`}
      >
        <Spark
          values={share(({ retried }) => retried)}
          threshold={thresholds.retryRate.warn}
          tone="retrying-fill"
        />
      </Figure>
      <Figure
        name="Time to finish"
        {...split(figures.p50Ms === null ? '–' : span(figures.p50Ms))}
        note={figures.p95Ms === null ? 'nothing ran' : `median; p95 ${span(figures.p95Ms)}`}
      >
        <Spark values={series.map(({ p50Ms }) => p50Ms)} />
      </Figure>
      <Figure
        name="Template cache"
        {...split(cache?.hitRate == null ? '–' : percent(cache.hitRate))}
        note={
          cache === undefined
            ? 'no documents here'
            : `alert under ${percent(thresholds.templateCacheHits.warn, 0)}`
        }
      />
    </dl>
  );
}

function Figure({
  name,
  value,
  unit = '',
  note,
  children,
}: {
  name: string;
  value: string;
  unit?: string;
  note: string;
  children?: ReactNode;
}) {
  return (
    <div className="min-w-0 border-line px-6 py-2.5 not-first:border-l max-xl:nth-[3n+1]:border-l-0 max-xl:nth-[n+4]:border-t max-md:px-4 max-md:nth-[3n+1]:border-l max-md:nth-[n+3]:border-t max-md:nth-[odd]:border-l-0">
      <dt className="text-small text-ink-2">{name}</dt>
      <dd className="flex items-end justify-between gap-2">
        <span className="whitespace-nowrap">
          <b className="text-figure tracking-tight">{value}</b>{' '}
          <span className="text-small text-ink-3">{unit}</span>
        </span>
        <span className="max-md:hidden" aria-hidden="true">
          {children}
        </span>
      </dd>
      <dd className="text-small text-ink-3">{note}</dd>
    </div>
  );
}

function short(value: number): string {
  return value >= 10 || value === 0 ? Math.round(value).toLocaleString('en') : value.toFixed(1);
}

function seconds(value: number | null): string {
  return value === null ? '–' : span(value * 1000);
}

/** The figure large, its unit small. */
function split(text: string): { value: string; unit: string } {
  const [value = text, ...unit] = text.split(' ');
  return { value, unit: unit.join(' ') };
}

function change({ perMinute, perMinuteBefore }: Overview['figures']): string {
  if (perMinuteBefore === null || perMinuteBefore === 0) return 'no time before to compare';
  const part = perMinute / perMinuteBefore - 1;
  if (Math.abs(part) < 0.01) return 'as in the time before';
  return `${percent(Math.abs(part), 0)} ${part > 0 ? 'over' : 'under'} the time before`;
}
