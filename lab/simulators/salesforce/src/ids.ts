import { ApiError } from './errors.ts';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const CHECK = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';
/** The two letters after the prefix name the instance that the record was born on. */
const INSTANCE = 'Wz';

/** An id of 18 letters: prefix, instance, a zero, nine digits of base 62, and three that check the case. */
export function makeId(prefix: string, serial: number): string {
  let digits = '';
  for (let rest = serial; digits.length < 9; rest = Math.floor(rest / 62)) {
    digits = (BASE62[rest % 62] ?? '0') + digits;
  }
  return withCheck(`${prefix}${INSTANCE}0${digits}`);
}

/** Each of the last three letters says which of five letters are capitals. */
function withCheck(id: string): string {
  let check = '';
  for (let start = 0; start < 15; start += 5) {
    let bits = 0;
    for (let place = 0; place < 5; place += 1) {
      const letter = id[start + place] ?? '';
      if (letter >= 'A' && letter <= 'Z') bits |= 1 << place;
    }
    check += CHECK[bits] ?? '';
  }
  return id + check;
}

/** The 18 letters of an id of 15 or 18. Null: that is no id. */
export function normalizeId(text: string): string | null {
  if (!/^[A-Za-z0-9]{15}([A-Za-z0-9]{3})?$/.test(text)) return null;
  const id = withCheck(text.slice(0, 15));
  return text.length === 15 || text.slice(15).toUpperCase() === id.slice(15) ? id : null;
}

export function requireId(text: string, label = 'Record ID'): string {
  const id = normalizeId(text);
  if (id !== null) return id;
  throw new ApiError('MALFORMED_ID', `${label}: id value of incorrect type: ${text}`, {
    fields: [label],
  });
}

export function prefixOf(id: string): string {
  return id.slice(0, 3);
}
