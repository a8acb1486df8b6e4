/** The flow is drawn on 1176 × 236. */
export const POND = { left: 322, right: 548, top: 18, bottom: 194 } as const;
export const WHEEL = { x: 716, y: 112, inner: 74, outer: 92 } as const;
const MIDDLE = 0.5;

/** A band from one upright edge to another, as thick at each end as it says. */
export function band(
  from: { x: number; top: number; bottom: number },
  to: { x: number; top: number; bottom: number },
): string {
  const turn = from.x + (to.x - from.x) * MIDDLE;
  return `M${from.x} ${from.top}C${turn} ${from.top} ${turn} ${to.top} ${to.x} ${to.top}V${to.bottom}C${turn} ${to.bottom} ${turn} ${from.bottom} ${from.x} ${from.bottom}Z`;
}

export function line(from: readonly [number, number], to: readonly [number, number]): string {
  const turn = from[0] + (to[0] - from[0]) * MIDDLE;
  return `M${from[0]} ${from[1]}C${turn} ${from[1]} ${turn} ${to[1]} ${to[0]} ${to[1]}`;
}

/** Thick enough to be seen, however small its share. */
export function thickness(perMinute: number, all: number, most: number): number {
  if (perMinute === 0) return 0;
  return Math.max(2.5, (most * perMinute) / Math.max(all, perMinute));
}

/** By the third root, to 2,000: a pond that is full at 2,000 shows 20 too, and its marks stand apart. */
export function depth(jobs: number): number {
  const height = POND.bottom - POND.top - 46; // the figure stands above the water
  return Math.min(1, Math.cbrt(jobs / 2_000)) * height;
}

/** A paddle of the wheel, by its number. */
export function paddle(
  index: number,
  of: number,
): { x1: number; y1: number; x2: number; y2: number } {
  const angle = ((index + 0.5) / of) * 2 * Math.PI - Math.PI / 2;
  const at = (radius: number): [number, number] => [
    WHEEL.x + radius * Math.cos(angle),
    WHEEL.y + radius * Math.sin(angle),
  ];
  const [x1, y1] = at(WHEEL.inner);
  const [x2, y2] = at(WHEEL.outer);
  return { x1, y1, x2, y2 };
}
