import type { NewDataExtension } from '../data/account.ts';

export function sampleDataExtensions(
  _seed: number,
  _mid: string,
  _now: number,
): NewDataExtension[] {
  return [];
}
