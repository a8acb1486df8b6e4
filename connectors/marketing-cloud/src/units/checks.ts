import { invalid } from '../errors.ts';

/** A MID is put into requests and reports, and tokens are kept by it. */
export function checkedMid(mid: string): string {
  if (/^\d{1,18}$/.test(mid)) return mid;
  throw invalid('invalid_mid', 'A MID is the number of a business unit, such as 510000123.');
}

/** As a segment of a path. `.` and `..` would be steps in it. */
export function segment(name: string, value: string): string {
  if (value !== '' && value !== '.' && value !== '..' && value.isWellFormed()) {
    return encodeURIComponent(value);
  }
  throw invalid('invalid_id', `${name} is not the id or key of anything.`);
}

/** An empty filter would find, and an empty key would delete, what nobody named. */
export function named(name: string, value: string): string {
  if (value !== '') return value;
  throw invalid('invalid_id', `${name} is empty.`);
}
