import { test } from 'vitest';
import { isLong } from './need.mjs';

// Tests of a `.both.test.ts` that are in one suite alone.

const elsewhere = (() => {}) as unknown as typeof test;

export const inFast: typeof test = isLong ? elsewhere : test;
/** What takes seconds, and shows one more case of what the fast suite has shown. */
export const inLong: typeof test = isLong ? test : elsewhere;
