import { Link } from '@tanstack/react-router';
import { percent } from '../../../time/words.ts';
import { StateIcon } from '../../../ui/state.tsx';
import { band, line } from '../geometry.ts';
import { type Overview, rate } from '../overview.ts';

/** How jobs end, as thick as they are many; what is tried again runs back below. */
export function Outcomes({
  outcomes,
  successRate,
}: {
  outcomes: Overview['flow']['outcomes'];
  successRate: number | null;
}) {
  const { succeeded, failed, canceled, retried } = outcomes;
  return (
    <g>
      {succeeded > 0 && (
        <g>
          <path
            d={band({ x: 790, top: 70, bottom: 130 }, { x: 930, top: 26, bottom: 86 })}
            fill="url(#flow-out)"
          />
          <path
            d={`${line([794, 86], [930, 42])}${line([794, 102], [930, 57])}${line([794, 117], [930, 72])}`}
            fill="none"
            stroke="var(--surface)"
            strokeWidth="1.2"
            strokeDasharray="22 6"
            className="flowing"
            opacity=".5"
          />
        </g>
      )}
      {failed > 0 && (
        <path
          d={line([792, 132], [930, 133])}
          fill="none"
          stroke="var(--failed-fill)"
          strokeWidth={Math.min(8, 2.5 + failed)}
        />
      )}
      {canceled > 0 && (
        <path
          d={line([788, 138], [930, 177])}
          fill="none"
          stroke="var(--canceled-fill)"
          strokeWidth="2"
        />
      )}
      {retried > 0 && (
        <g>
          <path
            d="M716 206C716 228 694 228 672 228H520C498 228 492 222 492 205"
            fill="none"
            stroke="var(--retrying-fill)"
            strokeWidth="3.5"
          />
          <path
            d="M485.5 210l6.500-8 6.500 8"
            fill="none"
            stroke="var(--retrying-fill)"
            strokeWidth="2.4"
            strokeLinecap="round"
            strokeLinejoin="round"
          />
          <text x="728" y="233" className="fill-ink-3 text-[12px]">
            {rate(retried)} retried
          </text>
        </g>
      )}
      <Outcome y={42} phase="succeeded" word="Succeeded" perMinute={succeeded} />
      <Outcome y={118} phase="failed" word="Failed" perMinute={failed} />
      <Outcome y={164} phase="canceled" word="Canceled" perMinute={canceled} />
      {successRate !== null && (
        <g textAnchor="end">
          <text x="1176" y="52" className="fill-ink text-[24px] font-semibold tracking-tight">
            {percent(successRate)}
          </text>
          <text x="1176" y="70" className="fill-ink-3 text-[12px]">
            success rate
          </text>
        </g>
      )}
    </g>
  );
}

function Outcome({
  y,
  phase,
  word,
  perMinute,
}: {
  y: number;
  phase: 'succeeded' | 'failed' | 'canceled';
  word: string;
  perMinute: number;
}) {
  return (
    <Link to="/jobs" search={{ phase }} aria-label={`${word}: ${rate(perMinute)}`}>
      <svg x="946" y={y} width="14" height="14" viewBox="0 0 14 14" aria-hidden="true">
        <StateIcon phase={phase} />
      </svg>
      <text x="970" y={y + 11} className="fill-ink text-[13px] font-medium">
        {word}
      </text>
      <text x="970" y={y + 27} className="fill-ink-3 text-[12px]">
        {rate(perMinute)}
      </text>
    </Link>
  );
}
