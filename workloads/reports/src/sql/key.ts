import { recordEnd, rowsOfCopy } from '@millrace/tables';

/** The report cannot be read by its key. */
export class KeyTrouble extends Error {
  override readonly name = 'KeyTrouble';
  readonly code: 'null_in_key' | 'key_not_unique';

  constructor(code: KeyTrouble['code'], message: string) {
    super(message);
    this.code = code;
  }
}

/** Of one record; `places` say which of its fields the key is. */
export function keyOf(record: Uint8Array, places: readonly number[]): string[] {
  const [fields = []] = rowsOfCopy(record);
  return places.map((place) => {
    const value = fields[place] ?? null;
    if (value === null) throw nullInKey();
    return value;
  });
}

export function firstKey(records: Uint8Array, places: readonly number[]): string[] {
  return keyOf(records.subarray(0, recordEnd(records)), places);
}

export function nullInKey(): KeyTrouble {
  return new KeyTrouble(
    'null_in_key',
    'A row has a NULL in its key, and would be left out without a word. Name columns as the key that are never NULL.',
  );
}

/**
 * Rows that come one after the other: with one key, the second would be left out where the reading goes on between them. Their texts
 * decide, since the order of the rows does not have two texts for one place (`tiesOf` in texts.ts).
 */
export function checkUnique(key: readonly string[], next: readonly string[]): void {
  if (key.some((value, at) => value !== next[at])) return;
  throw new KeyTrouble(
    'key_not_unique',
    'Several rows have one key, and some of them could be left out. Name more columns as the key of the report.',
  );
}
