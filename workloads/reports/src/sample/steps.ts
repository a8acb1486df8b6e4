import { expressions } from './expressions.ts';
import {
  type Range,
  type World,
  countiesSql,
  paymentsSql,
  providersSql,
  recipientsSql,
  timesheetsSql,
} from './rows.ts';
import { PAYMENT_INDEXES, SAMPLE_INDEXES, SAMPLE_STATISTICS, SAMPLE_TABLES } from './schema.ts';
import { madeSql } from './state.ts';
import { COUNTIES } from './words.ts';

export interface SampleOptions {
  /** Timesheets; the other tables go along: a provider for 180 of them, a payment for about 7. */
  readonly rows: number;
  /** ISO date. Everything has happened in the 14 months before it. */
  readonly today: string;
  readonly seed?: number;
}

export interface SampleStep {
  /** To be run by itself: what came before it is there when it fails. */
  readonly sql: string;
  /** In words, for whoever waits. */
  readonly makes: string;
  /** Of the whole work, when this step is done: 0 to 1. */
  readonly share: number;
}

/** 14 months. */
const DAYS = 426;
/** A provider who works three days a week has so many timesheets in that time. */
const TIMESHEETS_OF_PROVIDER = 180;
/** So that a small sample has more than one county. */
const FEWEST_PROVIDERS = 60;
/** Half months, of which a few are not over or not paid yet. */
const PERIODS = 28;
const STEP_ROWS = 50_000;
/** Every fifth provider cares for two. */
const RECIPIENTS_OF_PROVIDER = 1.2;

/**
 * The sample as SQL, the same for the same options. Not one transaction: before its last step has run there is no sample
 * (`state.ts`), and its first one clears away what is left of an earlier one.
 */
export function sampleSteps({ rows, today, seed = 1 }: SampleOptions): readonly SampleStep[] {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(today) || !Number.isSafeInteger(rows) || rows < 1)
    throw new TypeError(`There is no sample of ${rows} timesheets up to "${today}".`);
  const providers = Math.max(FEWEST_PROVIDERS, Math.ceil(rows / TIMESHEETS_OF_PROVIDER));
  const recipients = Math.ceil(providers * RECIPIENTS_OF_PROVIDER);
  const world: World = { ...expressions(seed), today, days: DAYS, providers, recipients };
  const steps: Made[] = [
    { makes: 'tables', sql: SAMPLE_TABLES, rows: 1 },
    { makes: 'counties', sql: countiesSql(), rows: COUNTIES.length },
    ...inRanges('providers', providers, (range) => providersSql(world, range)),
    ...inRanges('recipients', recipients, (range) => recipientsSql(world, range)),
    ...inRanges('timesheets', rows, (range) => timesheetsSql(world, range)),
    ...SAMPLE_INDEXES.map((sql) => ({ makes: 'indexes', sql, rows: rows / 10 })),
    ...inRanges('payments', providers, (range) => paymentsSql(world, range), PERIODS),
    ...PAYMENT_INDEXES.map((sql) => ({ makes: 'indexes', sql, rows: rows / 50 })),
    { makes: 'statistics', sql: SAMPLE_STATISTICS, rows: rows / 50 },
    { makes: 'the mark that all is there', sql: madeSql({ rows, today, seed }), rows: 1 },
  ];
  const whole = steps.reduce((sum, step) => sum + step.rows, 0);
  let done = 0;
  return steps.map(({ sql, makes, rows: made }) => ({ sql, makes, share: (done += made) / whole }));
}

interface Made {
  readonly makes: string;
  readonly sql: string;
  /** That it puts in, or about as many as take the same time. */
  readonly rows: number;
}

/** One step for so many rows at a time. */
function inRanges(
  makes: string,
  count: number,
  sqlOf: (range: Range) => string,
  rowsOfEach = 1,
): Made[] {
  const size = Math.floor(STEP_ROWS / rowsOfEach);
  return Array.from({ length: Math.ceil(count / size) }, (_, index) => {
    const range = { from: index * size + 1, to: Math.min((index + 1) * size, count) };
    return { makes, sql: sqlOf(range), rows: (range.to - range.from + 1) * rowsOfEach };
  });
}
