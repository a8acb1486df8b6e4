import { type Database, openEmbedded, openPg } from '@millrace/store-postgres';
import type { DatabasePlace } from '../config/place.ts';
import { ProgramRefused } from '../program.ts';
import { connectOptions, databaseFolder } from '../store.ts';

/** To build an index of a large table, or to copy one, takes as long as it takes. */
const PATIENCE_MS = 24 * 3_600_000;

/** The database of these settings as it is: nothing is set up in it. An embedded one is locked until it is closed. */
export async function openDatabase(place: DatabasePlace): Promise<Database> {
  const { databaseUrl: url, durable } = place;
  if (url !== null)
    return openPg({
      ...connectOptions(url, place.database),
      poolSize: 2,
      answerWithinMs: PATIENCE_MS,
    });
  try {
    return await openEmbedded({ folder: databaseFolder(place), durable });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ProgramRefused('database_not_opened', 'refused', why, { cause: error });
  }
}
