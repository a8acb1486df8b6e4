import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { readConfig } from '../config/config.ts';
import { gatherSettings } from '../config/file.ts';
import { ProgramRefused, reportInLines } from '../program.ts';
import { requireCurrent } from '../schema/current.ts';
import { openDatabase } from '../schema/open.ts';
import { importLines } from './import.ts';

// Run by `millrace import`.
let secrets: readonly string[] = [];
await reportInLines(
  async (tell) => {
    const { environment, file } = gatherSettings(process.env, process.cwd());
    const config = readConfig(environment, file);
    ({ secrets } = config);
    const { file: from = '' } = parseArgs({ options: { file: { type: 'string' } } }).values;
    await access(from).catch((cause: unknown) => {
      throw new ProgramRefused('file_missing', 'notFound', `File not found: ${from}.`, { cause });
    });
    const database = await openDatabase(config);
    try {
      await requireCurrent(database, 'target', 'The database');
      const read = () => createInterface({ input: createReadStream(from), crlfDelay: Infinity });
      // Told when all of it is there, not before.
      for (const event of await importLines(database, config.workloads, read)) tell(event);
    } finally {
      await database.close();
    }
  },
  () => secrets,
);
