import type { ReactNode } from 'react';
import { percent, span } from '../../time/words.ts';
import { INK, StateIcon } from '../../ui/state.tsx';
import type { Overview } from './overview.ts';

/** The figures with what is aimed at and what alerts go by, as the runbook has them. */
export function Figures({
  overview: { at, window, bucketSeconds, figures, series: all, thresholds, budgets },
}: {
  overview: Overview;
}) {
  // The last bucket has only begun: drawn beside whole ones it would look like a fall.
  const series = all.filter((each) => Date.parse(each.at) + bucketSeconds * 1000 <= Date.parse(at));
  const cache = budgets.find(({ id }) => id === 'documents:template-cache');
  const share = (part: (bucket: Overview['series'][number]) => number): (number | null)[] =>
    series.map((bucket) => {
      const ended = bucket.succeeded + bucket.failed;
      return ended === 0 ? null : part(bucket) / ended;
    });
  const whole = (value: number): string =>
    percent(value, value * 100 === Math.round(value * 100) ? 0 : 1);
  const oldest = all.findLast((each) => each.waiting !== null)?.oldestDueSeconds ?? null;
  return (
    <dl className="grid grid-cols-7 border-y border-line max-xl:grid-cols-4 max-md:grid-cols-2">
      <Figure
        name="Throughput"
        value={short(figures.perMinute)}
        unit={`/min over ${window}`}
        note={change(figures)}
      >
        <Spark values={series.map(({ succeeded, failed }) => succeeded + failed)} />
      </Figure>
      <Figure
        name="Oldest due"
        {...split(seconds(oldest))}
        mark={markOf(oldest, thresholds.oldestDueSeconds, 'over', seconds)}
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
        mark={markOf(figures.successRate, thresholds.successRate, 'under', whole)}
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
        mark={markOf(figures.retryRate, thresholds.retryRate, 'over', whole)}
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
        name="Documents, p95"
        {...split(figures.documentP95Ms === null ? '–' : span(figures.documentP95Ms))}
        mark={markOf(figures.documentP95Ms, thresholds.documentP95Ms, 'over', span)}
      >
        <Spark
          values={series.map(({ documentP95Ms }) => documentP95Ms)}
          threshold={thresholds.documentP95Ms.warn}
        />
      </Figure>
      <Figure
        name="Template cache"
        {...split(cache?.hitRate == null ? '–' : percent(cache.hitRate))}
        {...(cache === undefined
          ? { note: 'no documents here' }
          : cache.hitRate === null
            ? { note: 'too few look-ups yet' }
            : { mark: markOf(cache.hitRate, thresholds.templateCacheHits, 'under', whole) })}
      />
    </dl>
  );
}

function Figure({
  name,
  value,
  unit = '',
  note,
  mark,
  children,
}: {
  name: string;
  value: string;
  unit?: string;
  /** In the place of the threshold's words, while it is kept. */
  note?: string;
  mark?: Mark;
  children?: ReactNode;
}) {
  const beyond = mark?.phase ?? null;
  return (
    <div
      title={mark?.whole}
      className="min-w-0 border-line px-4 py-2.5 not-first:border-l first:pl-6 max-xl:px-6 max-xl:nth-[4n+1]:border-l-0 max-xl:nth-[n+5]:border-t max-xl:last:col-span-2 max-md:px-4 max-md:first:pl-4 max-md:nth-[n+3]:border-t max-md:nth-[odd]:border-l-0"
    >
      <dt className="truncate text-small text-ink-2">{name}</dt>
      <dd className="flex items-end justify-between gap-2">
        <span className="whitespace-nowrap">
          <b className="text-figure tracking-tight">{value}</b>{' '}
          <span className="text-small text-ink-3">{unit}</span>
        </span>
        <span className="min-w-0 max-md:hidden" aria-hidden="true">
          {children}
        </span>
      </dd>
      <dd
        className={`flex items-center gap-1 text-small ${beyond === null ? 'text-ink-3' : `font-medium ${INK[beyond]}`}`}
      >
        {beyond !== null && <StateIcon phase={beyond} size={13} />}
        {beyond === null ? (note ?? mark?.words) : mark?.words}
        {mark !== undefined && <span className="sr-only">. {mark.whole}</span>}
      </dd>
    </div>
  );
}

/** A threshold in words, and the state in whose form it is shown once the figure is beyond it. */
interface Mark {
  readonly words: string;
  readonly whole: string;
  readonly phase: 'failed' | 'retrying' | null;
}

function markOf(
  value: number | null,
  { target, warn, critical }: Overview['thresholds']['successRate'],
  beyond: 'over' | 'under',
  say: (value: number) => string,
): Mark {
  const isBeyond = (mark: number): boolean =>
    value !== null && (beyond === 'over' ? value > mark : value < mark);
  const phase = isBeyond(critical) ? 'failed' : isBeyond(warn) ? 'retrying' : null;
  const aim = target === null ? '' : `Target ${say(target)}; `;
  return {
    phase,
    words: `${phase === null ? 'alert ' : ''}${beyond} ${say(phase === 'failed' ? critical : warn)}`,
    whole: `${aim}warning ${beyond} ${say(warn)}, critical ${beyond} ${say(critical)}`,
  };
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

function change({ perMinute, perMinuteBefore, beforeIs }: Overview['figures']): string {
  if (perMinuteBefore === null || perMinuteBefore === 0) return 'nothing to compare';
  const before = beforeIs === 'week_ago' ? 'last week' : 'before';
  const part = perMinute / perMinuteBefore - 1;
  if (Math.abs(part) < 0.01) return `as ${before}`;
  return `${percent(Math.abs(part), 0)} ${part > 0 ? 'over' : 'under'} ${before}`;
}

/** A small line of what was, with its threshold dotted. Decoration beside a figure that says the same in words. */
function Spark({
  values,
  threshold,
  tone = 'water-1',
}: {
  readonly values: readonly (number | null)[];
  readonly threshold?: number | null;
  readonly tone?: 'water-1' | 'succeeded-fill' | 'failed-fill' | 'retrying-fill';
}) {
  const known = values.filter((value) => value !== null);
  if (known.length < 2) return <span className="inline-block h-7 w-16" />;
  const top = Math.max(...known, threshold ?? 0) || 1;
  const bottom = Math.min(...known, threshold ?? Number.POSITIVE_INFINITY, 0);
  const x = (index: number): number => (92 * index) / (values.length - 1);
  const y = (value: number): number => 25 - (22 * (value - bottom)) / (top - bottom || 1);
  const points = values.flatMap((value, index) =>
    value === null ? [] : [[x(index), y(value)] as const],
  );
  const line = points
    .map(([px, py], index) => `${index === 0 ? 'M' : 'L'}${px.toFixed(1)} ${py.toFixed(1)}`)
    .join('');
  const [firstX] = points[0] ?? [0];
  const [lastX, lastY] = points.at(-1) ?? [0, 0];
  const colour = `var(--${tone})`;
  return (
    <svg viewBox="0 0 96 28" aria-hidden="true" className="h-auto w-24 max-w-full">
      <path d={`${line}L${lastX} 28L${firstX} 28Z`} fill={colour} opacity=".12" />
      {threshold != null && (
        <path d={`M0 ${y(threshold)}H92`} stroke="var(--line-strong)" strokeDasharray="2 3" />
      )}
      <path d={line} fill="none" stroke={colour} strokeWidth="1.5" strokeLinejoin="round" />
      <circle cx={lastX} cy={lastY} r="2.2" fill={colour} />
    </svg>
  );
}
