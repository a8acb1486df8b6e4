import { expect, test } from 'vitest';
import { WRITTEN, killEvery, useShifts } from '../../test/shifts.ts';

useShifts();

test.each(WRITTEN)(
  'a run that is killed at any contact gives the bytes of one that was not: %s as %o',
  { timeout: 180_000 },
  async (report, output) => {
    expect(await killEvery(1, report, output)).toBeGreaterThan(10);
  },
);
