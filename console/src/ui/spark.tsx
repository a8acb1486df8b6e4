/** A small line of what was, with its threshold dotted. Decoration beside a figure that says the same in words. */
export function Spark({
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
