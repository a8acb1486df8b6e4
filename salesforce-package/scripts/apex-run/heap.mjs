// How much of the heap a transaction holds: what its variables lead to, now. Measured when a query brought records and when
// JSON was read or written, not at each statement; what only an expression holds for a moment is not seen.

import { Instance } from './model.mjs';
import { SObject } from './records.mjs';
import { ApexMap, ApexSet, Blob, List } from './values.mjs';

/** @param {import('./run.mjs').Run} run @param {unknown} [more] what no variable holds yet */
export function heapOf(run, more) {
  const seen = new Set();
  let bytes = sizeOf(more, seen);
  for (const statics of run.statics.values())
    for (const value of statics.values()) bytes += sizeOf(value, seen);
  for (let frame = run.top; frame !== undefined; frame = frame.caller) {
    bytes += sizeOf(frame.self, seen);
    for (const value of frame.slots) bytes += sizeOf(value, seen);
  }
  return bytes;
}

/** A text is as long as it has characters, everything else some 8 bytes. @param {unknown} value @param {Set<unknown>} seen @returns {number} */
function sizeOf(value, seen) {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (seen.has(value)) return 8;
  seen.add(value);
  if (value instanceof Blob) return value.bytes.length;
  if (value instanceof SObject || value instanceof Instance)
    return sum(value.values.values(), seen);
  if (value instanceof List) return sum(value.items, seen);
  if (value instanceof ApexSet) return sum(value.entries.values(), seen);
  if (!(value instanceof ApexMap)) return 8;
  let bytes = 8;
  for (const [key, member] of value.entries.values())
    bytes += sizeOf(key, seen) + sizeOf(member, seen);
  return bytes;
}

/** @param {Iterable<unknown>} values @param {Set<unknown>} seen */
function sum(values, seen) {
  let bytes = 8;
  for (const value of values) bytes += sizeOf(value, seen);
  return bytes;
}
