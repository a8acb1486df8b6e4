import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { memo, useRef, useState } from 'react';
import { useApi } from '../../data/client.ts';
import { useSetting } from '../../theme/settings.ts';
import { count } from '../../time/words.ts';
import { clock } from '../../time/zone.ts';
import type { JobsSearch } from './search.ts';

/** How jobs ended over the last day. Drawing over a part of it shows the jobs of that time. */
export const Histogram = memo(function Histogram({ search }: { search: JobsSearch }) {
  const api = useApi();
  const navigate = useNavigate();
  const zone = useSetting('time') === 'utc' ? 'utc' : 'local';
  const kind = search.kind?.includes(',') === true ? undefined : search.kind;
  const { data } = useQuery({
    queryKey: ['history', kind],
    queryFn: () => api.history({ query: { ...(kind !== undefined && { kind }) } }),
    refetchInterval: 60_000,
  });
  const chart = useRef<HTMLDivElement>(null);
  const [drawn, setDrawn] = useState<readonly [number, number] | null>(null);
  const buckets = data?.buckets ?? [];
  const top = Math.max(
    1,
    ...buckets.map(({ succeeded, failed, retried }) => succeeded + failed + retried),
  );
  if (data === undefined || buckets.length === 0) return null;
  const placeOf = (clientX: number): number => {
    const box = chart.current?.getBoundingClientRect();
    return box === undefined ? 0 : Math.min(1, Math.max(0, (clientX - box.left) / box.width));
  };
  const begin = Date.parse(data.from);
  const length = Date.parse(data.to) - begin;
  const end = (): void => {
    if (drawn === null) return;
    const [from, to] = drawn.toSorted((a, b) => a - b) as [number, number];
    setDrawn(null);
    if (to - from < 0.005) return;
    const at = (part: number): string => new Date(begin + part * length).toISOString();
    void navigate({
      to: '/jobs',
      search: { ...search, after: undefined, since: undefined, from: at(from), to: at(to) },
    });
  };
  return (
    <figure className="px-6 pb-2 max-md:hidden">
      <div
        ref={chart}
        role="img"
        aria-label={`How jobs ended between ${clock(begin, begin + length, zone)} and now, at most ${count(top)} in ${data.bucketSeconds} seconds`}
        className="relative flex h-10 cursor-crosshair touch-none items-end gap-px"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDrawn([placeOf(event.clientX), placeOf(event.clientX)]);
        }}
        onPointerMove={(event) => drawn && setDrawn([drawn[0], placeOf(event.clientX)])}
        onPointerUp={end}
        onPointerCancel={() => setDrawn(null)}
      >
        {buckets.map(({ at, succeeded, failed, retried }) => (
          <span
            key={at}
            className="flex h-full flex-1 flex-col justify-end"
            title={`${clock(Date.parse(at), Date.now(), zone)}: ${count(succeeded)} succeeded, ${count(failed)} failed, ${count(retried)} tried again`}
          >
            <i className="block bg-free" style={{ height: `${(100 * succeeded) / top}%` }} />
            <i className="block bg-retrying-fill" style={{ height: `${(100 * retried) / top}%` }} />
            <i className="block bg-failed-fill" style={{ height: `${(100 * failed) / top}%` }} />
          </span>
        ))}
        {drawn !== null && (
          <i
            className="absolute inset-y-0 bg-water-4 opacity-60"
            style={{
              left: `${100 * Math.min(...drawn)}%`,
              width: `${100 * Math.abs(drawn[1] - drawn[0])}%`,
            }}
          />
        )}
      </div>
      <figcaption className="flex justify-between pt-0.5 text-axis text-ink-3">
        <span>{clock(begin, Date.now(), zone)}</span>
        <span className="flex gap-3">
          <Mark fill="bg-free" word="succeeded" />
          <Mark fill="bg-retrying-fill" word="tried again" />
          <Mark fill="bg-failed-fill" word="failed" />
        </span>
        <span>now</span>
      </figcaption>
    </figure>
  );
});

function Mark({ fill, word }: { fill: string; word: string }) {
  return (
    <span className="inline-flex items-center gap-1">
      <i className={`size-2 rounded-[2px] ${fill}`} />
      {word}
    </span>
  );
}
