/**
 * The clock on the wall of a time zone. A local time is kept like a moment, in milliseconds since 1970 as if it
 * were UTC: what the wall shows at a moment is the moment plus the zone's offset.
 */
export interface Zone {
  offsetAt(moment: number): number;
  /** The first moment after `from`, up to `until`, with another offset than `from`; at most REACH_MS apart. */
  changeBetween(from: number, until: number): number | null;
}

/**
 * Farther than any change of the clocks moves them: offsets lie between -12 and +14 hours (local mean times of
 * the 19th century, -16 and +16). Between two changes of one zone were 6.9 days or more in 1969-2037, over all
 * zones of Node 20, so a stretch this long holds one change at the most.
 */
export const REACH_MS = 32 * 3_600_000;

const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

/** Making a formatter takes 50 µs, asking it 1 µs; asking for the offset is the cheapest question. */
const zones = new Map<string, Zone>();

export function zoneOf(timeZone: string): Zone {
  const known = zones.get(timeZone);
  if (known !== undefined) return known;
  const zone = createZone(timeZone);
  zones.set(timeZone, zone);
  return zone;
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch (cause) {
    throw new RangeError(`"${timeZone}" is no IANA time zone, such as "Europe/Berlin"`, { cause });
  }
}

function createZone(timeZone: string): Zone {
  const formatter = formatterOf(timeZone);
  /** The stretch that was asked about last, where it has no change: schedules ask about the same hours again and again. */
  let steady = { from: 0, until: -1, offset: 0 };

  function offsetAt(moment: number): number {
    if (moment >= steady.from && moment <= steady.until) return steady.offset;
    const offset = read(moment);
    const until = moment + REACH_MS;
    if (read(until) === offset) steady = { from: moment, until, offset };
    return offset;
  }

  function read(moment: number): number {
    const [, sign, hours = 0, minutes = 0, seconds = 0] =
      OFFSET.exec(formatter.format(moment)) ?? [];
    const size = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1_000;
    return sign === '-' ? -size : size;
  }

  function changeBetween(from: number, until: number): number | null {
    const offset = offsetAt(from);
    if (offsetAt(until) === offset) return null;
    let [before, after] = [from, until];
    while (after - before > 1) {
      const middle = Math.floor((before + after) / 2);
      if (offsetAt(middle) === offset) before = middle;
      else after = middle;
    }
    return after;
  }

  return { offsetAt, changeBetween };
}
