import { type Duration, toMs } from '../time/duration.ts';

/**
 * The values that a handler may return. Throwing means failure.
 * `effects` are values that a store able to do so commits together with the settling (files, links and
 * status on Salesforce); elsewhere the workload performs them idempotently before it returns.
 */
export type Outcome =
  | { readonly type: 'done'; readonly result: unknown; readonly effects: readonly Effect[] }
  | { readonly type: 'defer'; readonly afterMs: number; readonly data: unknown };

export interface Effect {
  readonly type: string;
  readonly [field: string]: unknown;
}

export function done(
  result: unknown = null,
  options: { effects?: readonly Effect[] } = {},
): Outcome {
  return { type: 'done', result, effects: options.effects ?? [] };
}

/** Puts the job back with new data (or the same), without using an attempt. */
export function defer(options: { after: Duration; data?: unknown }): Outcome {
  return { type: 'defer', afterMs: Math.max(0, toMs(options.after)), data: options.data };
}

/**
 * Whether a handler's value is an outcome. All members are checked: one written by hand that lacks a member would
 * fail later, where nobody waits for it.
 */
export function isOutcome(value: unknown): value is Outcome {
  if (value === null || typeof value !== 'object' || !('type' in value)) return false;
  if (value.type === 'done') return 'effects' in value && Array.isArray(value.effects);
  return value.type === 'defer' && 'afterMs' in value && typeof value.afterMs === 'number';
}
