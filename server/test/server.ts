import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@millrace/api';
import { bareDatabase } from '../../stores/postgres/test/databases.ts';
import { type Started, startMain } from './process.ts';

export interface TestServer {
  readonly started: Started;
  readonly baseUrl: string;
  readonly client: Client;
  close(): Promise<void>;
}

/**
 * The compiled process for a whole test file, with a folder and a database of its own. On Postgres: to make an embedded database
 * takes the processor for 5 s, and main.test.ts has one.
 */
export async function startServer(
  env: Record<string, string>,
  furnish: (folder: string) => void = () => {},
): Promise<TestServer> {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-server-'));
  furnish(folder);
  const database = await bareDatabase();
  const started = startMain(
    {
      PORT: '0',
      NODE_ENV: 'development',
      AUTH_BYPASS_DEVELOPMENT: 'true',
      CONVERSION_MAX_CONCURRENT: '1',
      DATABASE_URL: database.url,
      REPORTS_DATABASE_URL: database.url, // without one, a sample is made in an embedded database
      ...env,
    },
    folder,
  );
  const [, baseUrl = ''] = await started.says(/"address":"([^"]+)"/);
  return {
    started,
    baseUrl,
    client: createClient({ baseUrl }),
    async close() {
      started.child.kill('SIGTERM');
      await started.ended;
      await database.drop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
