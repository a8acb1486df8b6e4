import { defineJob, defineSchedule, done } from '@millrace/engine';
import { z } from 'zod';

/**
 * A job by the clock. Each tick is one job, however many replicas run; `npx millrace schedules` has the last and the next. If
 * the service was away at the time, the last tick that was missed is made up for (`missed: 'last'`), and while a run is
 * still alive its next tick is passed over (`overlap: 'skip'`): both are the defaults.
 */
export const closeTheDay = defineJob({
  kind: 'close-the-day',
  input: z.object({ branch: z.string() }),
  async run({ data, createdAt }) {
    const day = new Date(createdAt).toISOString().slice(0, 10);
    return done(`${data.branch} is closed for ${day}.`);
  },
});

export const everyEvening = defineSchedule({
  name: 'close-the-day-in-berlin',
  cron: '30 18 * * MON-FRI',
  timeZone: 'Europe/Berlin', // also when the clocks change there
  job: { kind: 'close-the-day', data: { branch: 'Berlin' } },
});
