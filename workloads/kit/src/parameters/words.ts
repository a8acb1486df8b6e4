import { type Day, PERIODS, type Period, add, addMonths, endOf, startOf } from './calendar.ts';

/** Both days are in it. */
export interface DayRange {
  readonly from: Day;
  readonly to: Day;
}

export const DATE_WORDS =
  'today, yesterday, 7 days ago, in 2 weeks, start of month, end of last quarter';
export const MONTH_WORDS = 'this month, last month, 3 months ago';
export const RANGE_WORDS =
  'yesterday, last month, this quarter, last 7 days, month to date, start of month..yesterday';

const ONE = `(${PERIODS.join('|')})`;
const PERIOD = `${ONE}s?`;
const AGO = new RegExp(`^(\\d{1,5}) ${PERIOD} ago$`);
const AHEAD = new RegExp(`^in (\\d{1,5}) ${PERIOD}$`);
const EDGE = new RegExp(`^(start|end) of (?:(?:the )?|(this|last|next) )${ONE}$`);
const WHOLE = new RegExp(`^(this|last|next) ${ONE}$`);
const LAST_FEW = new RegExp(`^last (\\d{1,5}) ${PERIOD}$`);
const TO_DATE = new RegExp(`^${ONE} to date$`);

const SHIFT: Readonly<Record<string, number>> = { last: -1, this: 0, next: 1 };

/** `yesterday`, `start of last month`: the day that the words mean today; null where they mean none. */
export function dateByWords(text: string, today: Day): Day | null {
  const words = plain(text);
  if (words === 'today') return today;
  if (words === 'yesterday') return today - 1;
  if (words === 'tomorrow') return today + 1;
  const ago = AGO.exec(words);
  if (ago !== null) return add(today, -Number(ago[1]), periodOf(ago[2]));
  const ahead = AHEAD.exec(words);
  if (ahead !== null) return add(today, Number(ahead[1]), periodOf(ahead[2]));
  const edge = EDGE.exec(words);
  if (edge === null) return null;
  const period = periodOf(edge[3]);
  const within = add(startOf(today, period), SHIFT[edge[2] ?? 'this'] ?? 0, period);
  return edge[1] === 'start' ? within : endOf(within, period);
}

/** The first day of the month that the words mean. */
export function monthByWords(text: string, today: Day): Day | null {
  const words = plain(text);
  const month = startOf(today, 'month');
  const whole = WHOLE.exec(words);
  if (whole?.[2] === 'month') return addMonths(month, SHIFT[whole[1] ?? ''] ?? 0);
  const ago = AGO.exec(words);
  if (ago?.[2] === 'month') return addMonths(month, -Number(ago[1]));
  const ahead = AHEAD.exec(words);
  return ahead?.[2] === 'month' ? addMonths(month, Number(ahead[1])) : null;
}

/** `last 7 days` ends yesterday, and `last 3 months` with the month before this one: what has ended only. */
export function rangeByWords(text: string, today: Day): DayRange | null {
  const words = plain(text);
  if (['today', 'yesterday', 'tomorrow'].includes(words)) {
    const day = dateByWords(words, today) ?? today;
    return { from: day, to: day };
  }
  const whole = WHOLE.exec(words);
  if (whole !== null) {
    const period = periodOf(whole[2]);
    const from = add(startOf(today, period), SHIFT[whole[1] ?? ''] ?? 0, period);
    return { from, to: endOf(from, period) };
  }
  const few = LAST_FEW.exec(words);
  if (few !== null) {
    const period = periodOf(few[2]);
    const start = startOf(today, period);
    return { from: add(start, -Number(few[1]), period), to: start - 1 };
  }
  const toDate = TO_DATE.exec(words);
  return toDate === null ? null : { from: startOf(today, periodOf(toDate[1])), to: today };
}

function plain(text: string): string {
  return text.trim().toLowerCase().replaceAll(/\s+/g, ' ');
}

function periodOf(word: string | undefined): Period {
  return PERIODS.find((each) => each === word) ?? 'day';
}
