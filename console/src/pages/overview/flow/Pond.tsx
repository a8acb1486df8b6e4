import { Link } from '@tanstack/react-router';
import { count } from '../../../time/words.ts';
import { depth, POND } from '../geometry.ts';
import type { Overview } from '../overview.ts';

const { left, right, bottom, top } = POND;
const WIDTH = right - left;
const BASIN = `M${left} ${top}V${bottom - 18}q0 18 18 18h${WIDTH - 36}q18 0 18-18V${top}`;

interface Layer {
  readonly jobs: number;
  readonly words: string;
  readonly fill: string;
  readonly hatch?: string;
  readonly ink?: string;
}

/** Waiting jobs, layered by reason: due ones at the bottom, where they leave first. */
export function Pond({
  waiting,
  thresholds,
}: {
  waiting: Overview['waiting'];
  thresholds: Overview['thresholds']['queueDepth'];
}) {
  const layers: readonly Layer[] = [
    { jobs: waiting.due, words: 'due', fill: 'var(--water-2)', ink: '#06181b' },
    {
      jobs: waiting.retrying,
      words: 'to retry',
      fill: 'var(--retrying-tint)',
      hatch: 'url(#hatch-retry)',
    },
    {
      jobs: waiting.held,
      words: 'held by a pause',
      fill: 'var(--paused-tint)',
      hatch: 'url(#hatch-held)',
    },
    { jobs: waiting.scheduled, words: 'for later', fill: 'var(--scheduled-tint)' },
  ];
  const total = layers.reduce((sum, { jobs }) => sum + jobs, 0);
  const full = depth(total);
  let level: number = bottom;
  return (
    <Link to="/jobs" search={{ state: 'QUEUED' }} aria-label={`${count(total)} waiting`}>
      <clipPath id="basin">
        <path d={BASIN} />
      </clipPath>
      <path d={BASIN} fill="var(--well)" />
      <g clipPath="url(#basin)">
        {layers.map(({ jobs, words, fill, hatch, ink }) => {
          // A layer that is there has room for its words.
          const height = jobs === 0 ? 0 : Math.max(18, (full * jobs) / Math.max(total, 1));
          level -= height;
          if (height === 0) return null;
          return (
            <g key={words}>
              <rect x={left} y={level} width={WIDTH} height={height} fill={fill} />
              {hatch !== undefined && (
                <rect x={left} y={level} width={WIDTH} height={height} fill={hatch} />
              )}
              <text
                x={left + 14}
                y={level + height / 2 + 4.5}
                className="text-[12px]"
                style={{
                  fill: ink ?? 'var(--ink)',
                  paintOrder: 'stroke',
                  stroke: fill,
                  strokeWidth: 3,
                }}
              >
                {count(jobs)} {words}
              </text>
            </g>
          );
        })}
        {total > 0 && (
          <path d={waves(level)} fill="none" stroke="var(--water-1)" strokeWidth="1.5" />
        )}
      </g>
      {Object.entries({
        warn: thresholds.warn,
        critical: thresholds.critical,
        'scale out': thresholds.scaleOut,
      }).map(([word, jobs]) => {
        const y = bottom - depth(jobs);
        return (
          <g key={word}>
            <path d={`M${right - 9} ${y}h9`} stroke="var(--ink-3)" />
            <text
              x={right - 13}
              y={y + 4}
              textAnchor="end"
              className="fill-ink-2 text-[11px]"
              style={{
                paintOrder: 'stroke',
                stroke: 'var(--well)',
                strokeWidth: 5,
                strokeLinejoin: 'round',
              }}
            >
              {count(jobs)} {word}
            </text>
          </g>
        );
      })}
      <path d={BASIN} fill="none" stroke="var(--line-strong)" strokeWidth="1.25" />
      <text x={left + 14} y="44" className="fill-ink text-[26px] font-semibold tracking-tight">
        {count(waiting.total)}
      </text>
      <text x={left + 14} y="61" className="fill-ink-3 text-[12px]">
        waiting
      </text>
    </Link>
  );
}

function waves(y: number): string {
  return `M${left} ${y}q14.1-5 28.2 0${'t28.2 0'.repeat(7)}`;
}
