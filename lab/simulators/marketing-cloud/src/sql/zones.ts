import { QueryError } from './run-sql.ts';
import {
  type Json,
  type Tree,
  call,
  inside,
  literalText,
  text,
  textIn,
  untranslated,
} from './syntax.ts';
import { byType } from './witness.ts';

/** Names of zones as Windows has them, which T-SQL takes, and those of the tz database, by the first word that tells them apart. */
const ZONES: Readonly<Record<string, string>> = {
  utc: 'UTC',
  'alaskan standard time': 'America/Anchorage',
  'arabian standard time': 'Asia/Dubai',
  'argentina standard time': 'America/Argentina/Buenos_Aires',
  'atlantic standard time': 'America/Halifax',
  'aus central standard time': 'Australia/Darwin',
  'aus eastern standard time': 'Australia/Sydney',
  'canada central standard time': 'America/Regina',
  'cen. australia standard time': 'Australia/Adelaide',
  'central america standard time': 'America/Guatemala',
  'central europe standard time': 'Europe/Budapest',
  'central european standard time': 'Europe/Warsaw',
  'central standard time': 'America/Chicago',
  'central standard time (mexico)': 'America/Mexico_City',
  'china standard time': 'Asia/Shanghai',
  'e. africa standard time': 'Africa/Nairobi',
  'e. australia standard time': 'Australia/Brisbane',
  'e. south america standard time': 'America/Sao_Paulo',
  'eastern standard time': 'America/New_York',
  'egypt standard time': 'Africa/Cairo',
  'fle standard time': 'Europe/Kyiv',
  'gmt standard time': 'Europe/London',
  'greenwich standard time': 'Atlantic/Reykjavik',
  'gtb standard time': 'Europe/Bucharest',
  'hawaiian standard time': 'Pacific/Honolulu',
  'india standard time': 'Asia/Kolkata',
  'israel standard time': 'Asia/Jerusalem',
  'korea standard time': 'Asia/Seoul',
  'mountain standard time': 'America/Denver',
  'new zealand standard time': 'Pacific/Auckland',
  'pacific sa standard time': 'America/Santiago',
  'pacific standard time': 'America/Los_Angeles',
  'romance standard time': 'Europe/Paris',
  'russian standard time': 'Europe/Moscow',
  'sa pacific standard time': 'America/Bogota',
  'se asia standard time': 'Asia/Bangkok',
  'singapore standard time': 'Asia/Singapore',
  'south africa standard time': 'Africa/Johannesburg',
  'taipei standard time': 'Asia/Taipei',
  'tasmania standard time': 'Australia/Hobart',
  'tokyo standard time': 'Asia/Tokyo',
  'turkey standard time': 'Europe/Istanbul',
  'us eastern standard time': 'America/Indiana/Indianapolis',
  'us mountain standard time': 'America/Phoenix',
  'w. australia standard time': 'Australia/Perth',
  'w. europe standard time': 'Europe/Berlin',
};

/** Where GETDATE is, which is also the offset of SYSDATETIMEOFFSET: the name means six hours behind UTC. */
const SERVER = 'Etc/GMT+6';

/**
 * `date AT TIME ZONE 'a'` says which zone the date is of; AT TIME ZONE behind another one says what the clock shows in that zone. Values
 * here have no offset: it is dropped where T-SQL drops it when the value is kept in a field.
 */
export function atTimeZone(node: Tree, translated: (json: Json) => Json): Json {
  const zones: string[] = [];
  let value: Json = { at_time_zone: node };
  for (let at = inside(value, 'at_time_zone'); at !== null; at = inside(value, 'at_time_zone')) {
    zones.unshift(zoneOf(at['zone']));
    value = at['this'] ?? null;
  }
  const isOfServer =
    (textIn(inside(value, 'function') ?? null, 'name') ?? '').toUpperCase() === 'SYSDATETIMEOFFSET';
  if (isOfServer) zones.unshift(SERVER);
  const [from, ...others] = zones;
  const moment = byType('mc_datetime', translated(value));
  const to = others.at(-1);
  if (from === undefined || to === undefined) return moment;
  return call('timezone', text(to), call('timezone', text(from), moment));
}

function zoneOf(json: Json | undefined): string {
  const name = literalText(json);
  if (name === null) throw untranslated('AT TIME ZONE with a zone that is no literal');
  const zone = ZONES[name.trim().toLowerCase()];
  if (zone !== undefined) return zone;
  throw new QueryError(
    `The time zone parameter '${name}' provided to AT TIME ZONE clause is invalid.`,
  );
}
