export type TimeStyle = 'local' | 'utc' | 'relative';

/** A moment of today as `09:41:52`, of another day with its date. */
export function clock(at: number, now: number, zone: 'local' | 'utc'): string {
  const timeZone = zone === 'utc' ? { timeZone: 'UTC' } : {};
  const day = (value: number): string => new Intl.DateTimeFormat('en-CA', timeZone).format(value);
  const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium', ...timeZone }).format(at);
  return day(at) === day(now) ? time : `${day(at)} ${time}`;
}

/** To the millisecond: `09:41:52.204`. */
export function precise(at: number, zone: 'local' | 'utc'): string {
  return new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    fractionalSecondDigits: 3,
    ...(zone === 'utc' && { timeZone: 'UTC' }),
  }).format(at);
}

/** The whole moment, with its zone: for tooltips, where nothing may be left open. */
export function fullClock(at: number, zone: 'local' | 'utc'): string {
  if (zone === 'utc') return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
  const name = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const text = new Intl.DateTimeFormat('sv', { dateStyle: 'short', timeStyle: 'medium' }).format(
    at,
  );
  return `${text} ${name}`;
}
