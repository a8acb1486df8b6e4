import { count, percent, plural } from '../../time/words.ts';
import { StateText } from '../../ui/state.tsx';
import { Outcomes } from './flow/Outcomes.tsx';
import { Pond } from './flow/Pond.tsx';
import { Wheel } from './flow/Wheel.tsx';
import { type Overview, SOURCE_WORDS, rate } from './overview.ts';
import { Link } from '@tanstack/react-router';
import { POND, band, thickness } from './geometry.ts';

/** Work comes in, stands in a pond layered by why it waits, turns a wheel of slots, and flows out; what is tried again runs back. */
export function Flow({ overview }: { overview: Overview }) {
  return (
    <figure>
      <svg
        viewBox="0 0 1176 240"
        className="mx-auto mt-2 w-full max-w-320 max-md:hidden"
        role="group"
        aria-label={sentence(overview)}
      >
        <defs>
          <linearGradient id="flow-in">
            <stop stopColor="var(--water-5)" />
            <stop offset="1" stopColor="var(--water-3)" />
          </linearGradient>
          <linearGradient id="flow-through">
            <stop stopColor="var(--water-2)" />
            <stop offset="1" stopColor="var(--water-1)" />
          </linearGradient>
          <linearGradient id="flow-out">
            <stop stopColor="var(--water-1)" />
            <stop offset="1" stopColor="var(--water-3)" />
          </linearGradient>
          <pattern
            id="hatch-held"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(45)"
          >
            <rect width="2" height="6" fill="var(--paused-fill)" opacity=".38" />
          </pattern>
          <pattern
            id="hatch-retry"
            width="6"
            height="6"
            patternUnits="userSpaceOnUse"
            patternTransform="rotate(-45)"
          >
            <rect width="2.4" height="6" fill="var(--retrying-fill)" opacity=".6" />
          </pattern>
        </defs>
        <Sources sources={overview.flow.sources} />
        <Pond waiting={overview.waiting} thresholds={overview.thresholds.queueDepth} />
        <Outcomes outcomes={overview.flow.outcomes} successRate={overview.figures.successRate} />
        <Wheel running={overview.running} />
      </svg>
      <figcaption className="md:sr-only">
        <SmallFlow overview={overview} />
      </figcaption>
    </figure>
  );
}

/** The same as a table: on a phone in its place, and for a screen reader behind it. */
function SmallFlow({ overview: { waiting, running, flow } }: { overview: Overview }) {
  const rows: readonly (readonly [string, string])[] = [
    ['Incoming', rate(flow.sources.reduce((sum, each) => sum + each.perMinute, 0))],
    ['Due', count(waiting.due)],
    ['Waiting to retry', count(waiting.retrying)],
    ['Held by a pause', count(waiting.held)],
    ['Scheduled', count(waiting.scheduled)],
    ['Running', slots(running)],
    ['Succeeded', rate(flow.outcomes.succeeded)],
    ['Failed', rate(flow.outcomes.failed)],
  ];
  return (
    <table className="mt-2 w-full">
      <caption className="sr-only">Flow of work</caption>
      <tbody>
        {rows.map(([name, value]) => (
          <tr key={name}>
            <th
              scope="row"
              className="border-b border-line-soft py-1 text-left font-normal text-ink-2"
            >
              {name === 'Failed' ? <StateText phase="failed" /> : name}
            </th>
            <td className="border-b border-line-soft py-1 text-right font-medium">{value}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function slots({ total, pools }: Overview['running']): string {
  const all = pools.reduce((sum, pool) => sum + pool.slots, 0);
  return `${count(total)} of ${plural(all, 'slot')}`;
}

function sentence({ waiting, running, flow, figures }: Overview): string {
  const success =
    figures.successRate === null ? '' : ` Success rate ${percent(figures.successRate)}.`;
  return `${plural(waiting.total, 'job')} waiting: ${waiting.due} due, ${waiting.retrying} to retry, ${waiting.held} held, ${waiting.scheduled} for later. ${running.total} running. ${rate(flow.outcomes.succeeded)} succeed, ${rate(flow.outcomes.failed)} fail.${success}`;
}

const MOST = 60;
/** Four are drawn; who has more sources sees the largest. */
const SHOWN = 4;

function Sources({ sources }: { sources: Overview['flow']['sources'] }) {
  const shown = sources
    .filter(
      ({ source, perMinute }) =>
        perMinute > 0 || ['salesforce', 'api', 'schedule', 'pipeline'].includes(source),
    )
    .toSorted((a, b) => b.perMinute - a.perMinute)
    .slice(0, SHOWN);
  const all = shown.reduce((sum, { perMinute }) => sum + perMinute, 0);
  const thick = shown.map(({ perMinute }) => thickness(perMinute, all, MOST));
  let at = 106 - thick.reduce((sum, each) => sum + each, 0) / 2;
  return shown.map(({ source, perMinute }, index) => {
    const height = thick[index] ?? 0;
    const middle = 40 + index * 46;
    const top = at;
    at += height;
    return (
      <Link
        key={source}
        to="/jobs"
        search={{ since: '24h' }}
        aria-label={`${SOURCE_WORDS[source] ?? source}: ${rate(perMinute)}`}
      >
        {height > 0 && (
          <path
            d={band(
              { x: 150, top: middle - height / 2, bottom: middle + height / 2 },
              { x: POND.left, top, bottom: top + height },
            )}
            fill="url(#flow-in)"
          />
        )}
        <text x="0" y={middle} className="fill-ink text-[13px] font-medium">
          {SOURCE_WORDS[source] ?? source}
        </text>
        <text x="0" y={middle + 16} className="fill-ink-3 text-[12px]">
          {rate(perMinute)}
        </text>
      </Link>
    );
  });
}
