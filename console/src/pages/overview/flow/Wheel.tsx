import { Link } from '@tanstack/react-router';
import { band, paddle, POND, WHEEL } from '../geometry.ts';
import { count } from '../../../time/words.ts';
import type { Overview } from '../overview.ts';

const COLOURS = ['var(--water-1)', 'var(--water-2)', 'var(--pool-3)', 'var(--water-3)'];
/** More would be a ring: beyond that a paddle stands for several slots. */
const MOST_PADDLES = 48;
const SHOWN_POOLS = 3;

/** There is room for fourteen letters inside the wheel; the last part of a name says most. */
function shortName(name: string): string {
  const last = name.length > 14 ? (name.split('.').at(-1) ?? name) : name;
  return last.length > 14 ? `${last.slice(0, 13)}…` : last;
}

/** A paddle for each slot, by pool. */
export function Wheel({ running }: { running: Overview['running'] }) {
  const pools = running.pools.toSorted((a, b) => b.inFlight - a.inFlight || b.slots - a.slots);
  const slots = pools.reduce((sum, pool) => sum + pool.slots, 0);
  const scale = Math.min(1, MOST_PADDLES / Math.max(slots, 1));
  const paddles = pools.flatMap((pool, index) => {
    const all = Math.max(1, Math.round(pool.slots * scale));
    const used = pool.inFlight === 0 ? 0 : Math.max(1, Math.round(pool.inFlight * scale));
    return Array.from({ length: all }, (_, each) =>
      each < used ? (COLOURS[index] ?? COLOURS[3]) : 'var(--free)',
    );
  });
  return (
    <Link to="/jobs" search={{ phase: 'running' }} aria-label={`${count(running.total)} running`}>
      {running.total > 0 && (
        <path
          d={band({ x: POND.right, top: 164, bottom: 193 }, { x: 642, top: 82, bottom: 142 })}
          fill="url(#flow-through)"
        />
      )}
      <circle cx={WHEEL.x} cy={WHEEL.y} r="99" fill="var(--surface)" />
      <circle cx={WHEEL.x} cy={WHEEL.y} r={WHEEL.inner - 6} fill="none" stroke="var(--line)" />
      {paddles.map((colour, index) => (
        <line
          key={index}
          {...paddle(index, paddles.length)}
          stroke={colour}
          strokeWidth="5.4"
          strokeLinecap="round"
        />
      ))}
      <text
        x={WHEEL.x}
        y="97"
        textAnchor="middle"
        className="fill-ink text-[26px] font-semibold tracking-tight"
      >
        {count(running.total)}
      </text>
      <text x={WHEEL.x} y="113" textAnchor="middle" className="fill-ink-3 text-[12px]">
        running
      </text>
      {pools.slice(0, SHOWN_POOLS).map(({ name, inFlight, slots: of }, index) => (
        <g key={name}>
          <circle cx={WHEEL.x - 46} cy={127 + index * 14} r="3" fill={COLOURS[index]} />
          <text x={WHEEL.x - 38} y={131 + index * 14} className="fill-ink-2 text-[11px]">
            {shortName(name)} {inFlight}/{of}
          </text>
        </g>
      ))}
    </Link>
  );
}
