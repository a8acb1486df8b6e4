export type TimeStyle = 'local' | 'utc' | 'relative';
type Zone = 'local' | 'utc';

/** Made once: making one takes longer than a hundred uses of it, and a list of fifty jobs needs five for each of its rows. */
const FORMATS = {
  day: inBothZones('en-CA', {}),
  time: inBothZones('en-GB', { timeStyle: 'medium' }),
  precise: inBothZones('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
  }),
  full: inBothZones('sv', { dateStyle: 'short', timeStyle: 'medium' }),
};

function inBothZones(
  locale: string,
  options: Intl.DateTimeFormatOptions,
): Readonly<Record<Zone, Intl.DateTimeFormat>> {
  return {
    local: new Intl.DateTimeFormat(locale, options),
    utc: new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }),
  };
}

/** A moment of today as `09:41:52`, of another day with its date. */
export function clock(at: number, now: number, zone: Zone): string {
  const day = (value: number): string => FORMATS.day[zone].format(value);
  const time = FORMATS.time[zone].format(at);
  return day(at) === day(now) ? time : `${day(at)} ${time}`;
}

/** To the millisecond: `09:41:52.204`. */
export function precise(at: number, zone: Zone): string {
  return FORMATS.precise[zone].format(at);
}

/** The whole moment, with its zone: for tooltips, where nothing may be left open. */
export function fullClock(at: number, zone: Zone): string {
  const { timeZone } = FORMATS.full[zone].resolvedOptions();
  return `${FORMATS.full[zone].format(at)} ${timeZone}`;
}
