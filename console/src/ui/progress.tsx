export interface Part {
  readonly of: 'done' | 'failed' | 'running' | 'retrying' | 'paused' | 'canceled' | 'succeeded';
  readonly count: number;
}

const FILLS: Readonly<Record<Part['of'], string>> = {
  done: 'bg-water-1',
  succeeded: 'bg-succeeded-fill',
  failed: 'bg-failed-fill',
  running: 'hatched-running',
  retrying: 'bg-retrying-fill',
  paused: 'bg-paused-fill',
  canceled: 'bg-canceled-fill',
};

/** A tick per chunk while a chunk has four pixels; a plain bar beyond that. Only trouble has a colour. */
export function Progress({
  parts,
  total,
  label,
  width = 240,
  className = 'h-1.75',
}: {
  readonly parts: readonly Part[];
  readonly total: number;
  readonly label: string;
  /** About how wide it will be, to decide between ticks and a bar. */
  readonly width?: number;
  readonly className?: string;
}) {
  const ticks = total > 1 && width / total >= 4;
  if (!ticks) return <Bar parts={parts} total={total} label={label} className={className} />;
  const cells = parts.flatMap(({ of, count }) => Array.from({ length: count }, () => FILLS[of]));
  return (
    <span className={`flex gap-[1.5px] ${className}`} role="img" aria-label={label}>
      {Array.from({ length: total }, (_, index) => (
        <i key={index} className={`flex-1 rounded-[1.5px] ${cells[index] ?? 'bg-press'}`} />
      ))}
    </span>
  );
}

function Bar({
  parts,
  total,
  label,
  className,
}: {
  parts: readonly Part[];
  total: number;
  label: string;
  className: string;
}) {
  return (
    <span
      className={`flex overflow-hidden rounded-[3px] bg-press ${className}`}
      role="img"
      aria-label={label}
    >
      {parts.map(({ of, count }) => (
        <i
          key={of}
          className={FILLS[of]}
          style={{ width: `${(100 * count) / Math.max(total, 1)}%` }}
        />
      ))}
    </span>
  );
}

/** How much of an allowance is used, with marks where something happens. Amber past the first mark, red past the last. */
export function Meter({
  used,
  limit,
  marks = [],
  label,
}: {
  used: number;
  limit: number;
  marks?: readonly number[];
  label: string;
}) {
  const part = limit === 0 ? 0 : Math.min(1, used / limit);
  const passed = marks.filter((mark) => part >= mark).length;
  const fill =
    passed === 0 ? 'bg-water-1' : passed < marks.length ? 'bg-retrying-fill' : 'bg-failed-fill';
  return (
    <span
      className="relative block h-1.5 overflow-hidden rounded-[3px] bg-press"
      role="img"
      aria-label={label}
    >
      <i className={`absolute inset-y-0 left-0 ${fill}`} style={{ width: `${100 * part}%` }} />
      {marks.map((mark) => (
        <b
          key={mark}
          className="absolute inset-y-0 w-0.5 bg-surface"
          style={{ left: `${100 * mark}%` }}
        />
      ))}
    </span>
  );
}
