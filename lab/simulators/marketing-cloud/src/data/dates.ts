const HOUR = 3_600_000;
/** Marketing Cloud's servers keep US Central time and know no daylight saving: UTC-6 all year. */
const CENTRAL = -6 * HOUR;

/** `2022-04-21T06:56:27.927`: server time without a zone, as SOAP and REST write CreatedDate. */
export function serverTime(ms: number): string {
  return utcTime(ms + CENTRAL);
}

/** `2023-01-26T13:54:59.883`, as tokenExpireDateUtc is written. */
export function utcTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, -1);
}

/** `2026-05-20 04:00:00.789`: how moments are kept, and how SQL reads them. */
export function sqlTime(ms: number): string {
  return serverTime(ms).replace('T', ' ');
}

/** `5/20/2026 4:00:00 AM`: how the rowset writes a moment that is kept. */
export function rowsetTime(kept: string): string {
  const parts = /^(\d{4})-(\d\d)-(\d\d)(?: (\d\d):(\d\d):(\d\d))?/.exec(kept);
  if (parts === null) return kept;
  const [, year = '', month, day, hour = '0', minute = '00', second = '00'] = parts;
  const half = Number(hour) < 12 ? 'AM' : 'PM';
  const clock = `${Number(hour) % 12 || 12}:${minute}:${second}`;
  return `${Number(month)}/${Number(day)}/${year} ${clock} ${half}`;
}
