const MOMENT =
  /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[-+]\d{2}:?\d{2})?)?$/;

export interface Moment {
  readonly ms: number;
  readonly isDate: boolean;
}

/** `2026-01-31`, `2026-01-31T10:00:00Z`, `…+0100`, `….123+01:00`. Null: neither a date nor a moment. */
export function parseMoment(text: string): Moment | null {
  const match = MOMENT.exec(text.trim());
  if (match === null) return null;
  const [, year, month, day, hour = '0', minute = '0', second = '0', fraction = '0', zone = 'Z'] =
    match;
  const date = Date.UTC(Number(year), Number(month) - 1, Number(day));
  const isReal = new Date(date).getUTCDate() === Number(day) && Number(month) <= 12;
  if (!isReal || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  const time = (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000;
  const ms = Math.floor(Number(`0.${fraction}`) * 1000);
  return { ms: date + time + ms - zoneMs(zone), isDate: match[4] === undefined };
}

function zoneMs(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(-2))];
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** As Salesforce writes moments: `2026-01-31T10:00:00.000+0000`. */
export function momentText(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+0000');
}
