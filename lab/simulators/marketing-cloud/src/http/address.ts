import { type Place, type Site, json, openSite } from '@millrace/simulator-kit';

/** Slow senders are cut off after this long. */
const REQUEST_MS = 60_000;
const LONGEST_BODY = 8 * 2 ** 20;

/** Where the simulator is called. */
export function openAddress(place: Place): Promise<Site> {
  return openSite({
    place,
    requestMs: REQUEST_MS,
    longestBody: LONGEST_BODY,
    misdirected: json(421, { message: 'This simulator answers to its own name only.' }),
    mistake: json(500, { message: 'Internal Server Error' }),
  });
}
