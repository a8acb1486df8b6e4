import { parseArgs } from 'node:util';
import { gatherSettings } from '../config/file.ts';
import { readDatabasePlace } from '../config/place.ts';
import { reportInLines } from '../program.ts';
import { type MigrateRequest, migrateSchema } from './migrate.ts';

// Run by `millrace migrate`.
let secrets: readonly string[] = [];
await reportInLines(
  async (tell) => {
    const { environment, file } = gatherSettings(process.env, process.cwd());
    const place = readDatabasePlace(environment, file);
    ({ secrets } = place);
    for await (const event of migrateSchema(place, request())) tell(event);
  },
  () => secrets,
);

function request(): MigrateRequest {
  const { values } = parseArgs({
    options: {
      check: { type: 'boolean' },
      script: { type: 'boolean' },
      grants: { type: 'string' },
    },
  });
  if (values.grants !== undefined) return { mode: 'grants', role: values.grants };
  return { mode: values.check ? 'check' : values.script ? 'script' : 'apply' };
}
