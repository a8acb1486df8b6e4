import cronstrue from 'cronstrue';

/**
 * A schedule as people say it: `At 06:00, on day 1 of the month, in Europe/Berlin`. Null for an expression that only croner,
 * which runs it, understands.
 */
export function cronInWords(cron: string, timeZone: string): string | null {
  try {
    const words = cronstrue.toString(cron, { use24HourTimeFormat: true });
    return `${words}, in ${timeZone}`;
  } catch {
    return null;
  }
}
