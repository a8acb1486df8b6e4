import { test } from 'vitest';
import { isLong } from './need.mjs';

// Tests of a `.both.test.ts` that are in one suite alone; the other counts them as skipped.

export const inFast: typeof test.skip = isLong ? test.skip : test;
/** What takes seconds, and shows one more case of what the fast suite has shown. */
export const inLong: typeof test.skip = isLong ? test : test.skip;
