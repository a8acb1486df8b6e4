const INT8 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

/** A whole number in its one way to be written; null where it is none that a database column of 8 bytes has. */
export function readWhole(text: string): string | null {
  if (!/^[+-]?\d{1,40}$/.test(text)) return null;
  const value = BigInt(text.replace(/^\+/, ''));
  return value >= INT8.least && value <= INT8.most ? String(value) : null;
}

/** A decimal without needless zeros and signs: `+01.50` is `1.5`. Never by way of a float. */
export function readDecimal(text: string): string | null {
  const [all, sign = '', whole = '', fraction = ''] =
    /^([+-]?)(\d{0,100})(?:\.(\d{0,100}))?$/.exec(text) ?? [];
  if (all === undefined || whole + fraction === '') return null;
  const before = whole.replace(/^0+(?=\d)/, '') || '0';
  const after = fraction.replace(/0+$/, '');
  const value = after === '' ? before : `${before}.${after}`;
  return sign === '-' && value !== '0' ? `-${value}` : value;
}

/** Below 0, 0 or above 0, of numbers as the functions above write them. */
export function compareNumbers(a: string, b: string): number {
  const places = Math.max(placesOf(a), placesOf(b));
  const difference = scaled(a, places) - scaled(b, places);
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

function placesOf(value: string): number {
  return value.split('.')[1]?.length ?? 0;
}

function scaled(value: string, places: number): bigint {
  const [whole = '', fraction = ''] = value.split('.');
  return BigInt(whole + fraction.padEnd(places, '0'));
}
