import type { Client } from '@millrace/api';

export type Overview = Awaited<ReturnType<Client['overview']>>;
export type Window = Overview['window'];

export const WINDOWS = [
  { value: '15m', word: '15 min' },
  { value: '1h', word: '1 h' },
  { value: '24h', word: '24 h' },
  { value: '7d', word: '7 d' },
] as const satisfies readonly { value: Window; word: string }[];

export const SOURCE_WORDS: Readonly<Record<string, string>> = {
  salesforce: 'Salesforce records',
  api: 'API',
  schedule: 'Schedules',
  pipeline: 'Pipelines',
  rule: 'Rules',
  other: 'Other',
};

/** A rate in a few letters: `61 a minute`, `0.4 a minute`, `3 an hour`. */
export function rate(perMinute: number): string {
  if (perMinute === 0) return 'none';
  if (perMinute >= 10) return `${Math.round(perMinute).toLocaleString('en')} a minute`;
  if (perMinute >= 0.1) return `${perMinute.toFixed(1).replace(/\.0$/, '')} a minute`;
  const hourly = perMinute * 60;
  return hourly >= 0.1
    ? `${hourly.toFixed(1).replace(/\.0$/, '')} an hour`
    : `${Math.max(1, Math.round(hourly * 24))} a day`;
}
