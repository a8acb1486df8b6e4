import type { Dice } from '@millrace/testkit';

/** A cron expression and what it means, known without reading it: tests compare with `matches`. */
export interface Expression {
  readonly text: string;
  readonly isRhythm: boolean;
  readonly matches: (local: number) => boolean;
}

interface Field {
  readonly text: string;
  readonly has: (value: number) => boolean;
}

/** A field of numbers in one of the ways to write it; `near` are values that matter, drawn more often. */
function someField(dice: Dice, low: number, high: number, near: readonly number[]): Field {
  const value = () =>
    dice.chance(0.7) ? (near[dice.integer(0, near.length - 1)] ?? low) : dice.integer(low, high);
  const step = dice.integer(2, Math.max(2, Math.floor((high - low) / 2)));
  const from = value();
  const to = dice.integer(from, Math.min(high, from + 6));
  switch (dice.integer(0, 5)) {
    case 0:
      return { text: '*', has: () => true };
    case 1:
      return { text: `*/${step}`, has: (each) => (each - low) % step === 0 };
    case 2:
      return { text: `${from}-${to}`, has: (each) => each >= from && each <= to };
    case 3: {
      const [first, by] = [dice.integer(low, from), dice.integer(1, 3)];
      return {
        text: `${first}-${to}/${by}`,
        has: (each) => each >= first && each <= to && (each - first) % by === 0,
      };
    }
    case 4: {
      const list = [from, value(), value()];
      return { text: list.join(','), has: (each) => list.includes(each) };
    }
    default:
      return { text: String(from), has: (each) => each === from };
  }
}

const lastOf = (date: Date) =>
  new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();

/** The working day nearest to a day, within its month. */
function nearestWorkingDay(date: Date, day: number): number {
  if (day > lastOf(date)) return 0;
  const weekday = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), day)).getUTCDay();
  if (weekday === 6) return day === 1 ? 3 : day - 1;
  if (weekday === 0) return day === lastOf(date) ? day - 2 : day + 1;
  return day;
}

type DayField = { readonly text: string; readonly has: (date: Date) => boolean };

function someDay(dice: Dice, near: readonly number[]): DayField {
  if (dice.chance(0.6)) return { text: '*', has: () => true };
  const day = near[dice.integer(0, near.length - 1)] ?? 1;
  switch (dice.integer(0, 4)) {
    case 0:
      return { text: 'L', has: (date) => date.getUTCDate() === lastOf(date) };
    case 1:
      return {
        text: `${day}W`,
        has: (date) => date.getUTCDate() === nearestWorkingDay(date, day),
      };
    default: {
      const field = someField(dice, 1, 31, near);
      return { text: field.text, has: (date) => field.has(date.getUTCDate()) };
    }
  }
}

const NAMES = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];

function someWeekday(dice: Dice, near: readonly number[]): DayField {
  if (dice.chance(0.6)) return { text: '*', has: () => true };
  const weekday = near[dice.integer(0, near.length - 1)] ?? 0;
  const is = (date: Date) => date.getUTCDay() === weekday;
  const nth = dice.integer(1, 5);
  switch (dice.integer(0, 4)) {
    case 0:
      return {
        text: `${weekday}#${nth}`,
        has: (date) => is(date) && Math.ceil(date.getUTCDate() / 7) === nth,
      };
    case 1:
      return {
        text: `${NAMES[weekday]}#L`,
        has: (date) => is(date) && date.getUTCDate() > lastOf(date) - 7,
      };
    case 2:
      return { text: weekday === 0 ? '7' : String(weekday), has: is };
    default: {
      const field = someField(dice, 0, 6, near);
      return { text: field.text, has: (date) => field.has(date.getUTCDay()) };
    }
  }
}

/** A local time is in milliseconds since 1970 as if it were UTC. `around`: local times that matter. */
export function someExpression(
  dice: Dice,
  around: readonly number[],
  withSeconds: boolean,
): Expression {
  const dates = around.map((local) => new Date(local));
  const second = withSeconds
    ? someField(dice, 0, 59, [0, 30])
    : { text: '0', has: (n: number) => n === 0 };
  const minute = someField(dice, 0, 59, [0, 1, 15, 30, 44, 45, 59]);
  const hour = someField(
    dice,
    0,
    23,
    dates.map((date) => date.getUTCHours()),
  );
  const day = someDay(
    dice,
    dates.map((date) => date.getUTCDate()),
  );
  const weekday = someWeekday(
    dice,
    dates.map((date) => date.getUTCDay()),
  );
  // Days that never fall together, such as the 24th and the fifth Saturday, are refused.
  const bothDays = dice.chance(0.3) && !/[LW#]/.test(day.text + weekday.text);
  const year =
    withSeconds && !bothDays && dice.chance(0.3) ? dates.at(-1)?.getUTCFullYear() : undefined;
  const either = day.text !== '*' && weekday.text !== '*' && !bothDays;

  const text = [
    ...(withSeconds ? [second.text] : []),
    minute.text,
    hour.text,
    day.text,
    '*',
    either || weekday.text === '*' ? weekday.text : `+${weekday.text}`,
    ...(year === undefined ? [] : [String(year)]),
  ].join(' ');
  const isRhythm = Array.from({ length: 24 }, (_, each) => each).every(hour.has);
  return {
    text,
    isRhythm,
    matches(local) {
      // By arithmetic first: most of the many local times that a test asks about end here.
      const time = (unit: number, count: number) =>
        ((Math.floor(local / unit) % count) + count) % count;
      if (!minute.has(time(60_000, 60)) || !second.has(time(1_000, 60))) return false;
      if (!hour.has(time(3_600_000, 24))) return false;
      const date = new Date(local);
      return (
        (either ? day.has(date) || weekday.has(date) : day.has(date) && weekday.has(date)) &&
        (year === undefined || date.getUTCFullYear() === year)
      );
    },
  };
}
