import type { Paint } from './colour.ts';

const FULL = '━';
const REST = '─';

/** `━━━━━━━━────────`: calm, and one line high. */
export function bar(fraction: number, columns: number, paint: Paint): string {
  const full = Math.floor(clamp(fraction) * columns);
  return paint('cyan', FULL.repeat(full)) + paint('dim', REST.repeat(columns - full));
}

/** `52 %`, `0.7 %`; 100 % only when nothing is left. */
export function percent(fraction: number): string {
  const value = clamp(fraction) * 100;
  return `${value < 10 ? Math.floor(value * 10) / 10 : Math.floor(value)} %`;
}

/** The finished fraction; 0 of 0 is complete. */
export function fractionOf(done: number, total: number): number {
  return total === 0 ? 1 : done / total;
}

function clamp(fraction: number): number {
  return Number.isFinite(fraction) ? Math.min(Math.max(fraction, 0), 1) : 0;
}
