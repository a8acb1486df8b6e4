import type { Option } from '../line/option.ts';
import { UsageError } from '../line/usage-error.ts';

/** The MID of a business unit. */
export function midOption(summary: string): Option<string> {
  return {
    value: 'MID',
    summary,
    parse(given) {
      if (/^\d{1,20}$/.test(given)) return given;
      throw new UsageError(
        `takes the MID of a business unit, which is a number such as 510000123, not "${given}".`,
      );
    },
  };
}
