const NUMBER = /^\s*([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d+))?\s*$/;

/** A number as written in decimal, whole and a power of ten: 12.50 is 1250 and 2 places. A double would change it from the 16th digit on. */
interface Exact {
  readonly units: bigint;
  readonly places: number;
}

function exactOf(text: string): Exact {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = NUMBER.exec(text) ?? [];
  const units = BigInt(`${whole}${fraction}` || '0');
  return { units: sign === '-' ? -units : units, places: fraction.length - Number(exponent) };
}

/** With so many decimal places, rounded half away from zero as SQL Server does it. Gives the digits that it takes, too. */
export function rounded(text: string, places: number): { text: string; digits: number } {
  const exact = exactOf(text);
  const drop = exact.places - places;
  const units = drop > 0 ? divided(exact.units, drop) : exact.units * 10n ** BigInt(-drop);
  const all = String(units < 0n ? -units : units);
  const padded = all.padStart(places + 1, '0');
  const whole = padded.slice(0, padded.length - places);
  const number = places === 0 ? whole : `${whole}.${padded.slice(-places)}`;
  return { text: units < 0n ? `-${number}` : number, digits: all.length };
}

/** Without its fraction. */
export function truncated(text: string): bigint {
  const { units, places } = exactOf(text);
  return places > 0 ? units / 10n ** BigInt(places) : units * 10n ** BigInt(-places);
}

function divided(units: bigint, places: number): bigint {
  const by = 10n ** BigInt(places);
  const half = by / 2n;
  return (units < 0n ? units - half : units + half) / by;
}
