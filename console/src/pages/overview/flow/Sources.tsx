import { Link } from '@tanstack/react-router';
import { band, POND, thickness } from '../geometry.ts';
import { type Overview, SOURCE_WORDS, rate } from '../overview.ts';

const MOST = 60;
/** Four are drawn; who has more sources sees the largest. */
const SHOWN = 4;

export function Sources({ sources }: { sources: Overview['flow']['sources'] }) {
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
