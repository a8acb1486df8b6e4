import { access } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SourceError, excessRights } from '@millrace/sql-source';
import { type Finding, missing, storageFinding, there } from '@millrace/workload-kit';
import { createCatalogue } from './catalogue/catalogue.ts';
import type { ReportsConfig } from './settings.ts';
import { openSource } from './source.ts';

/** What reports stand on, for `millrace doctor`. Nothing is changed. */
export async function* examine(config: ReportsConfig): AsyncGenerator<Finding> {
  yield await filesOfReports(config);
  yield await database(config);
  if (config.storage !== null)
    yield await storageFinding('reports (object storage)', 'REPORTS', config.storage);
}

async function filesOfReports({ folder, timeZone }: ReportsConfig): Promise<Finding> {
  const place = resolve(folder);
  try {
    await access(place);
  } catch {
    return there('reports', `There is no folder ${place}, and so no reports of your own.`);
  }
  const catalogue = createCatalogue({ folder, defaults: { timeZone } });
  await catalogue.load();
  const { reports, troubled } = catalogue.now();
  const [first] = troubled.flatMap(({ problems }) => problems);
  if (first === undefined)
    return there(
      'reports',
      `${reports.size} ${reports.size === 1 ? 'report' : 'reports'} in ${place}.`,
    );
  return missing(
    'reports',
    `${first.file}, line ${first.line}, column ${first.column}: ${first.message}`,
    'Correct the file; "millrace reports check" lists everything.',
  );
}

const ANSWER_WITHIN_MS = 10_000;
const ROLE_ADVICE =
  'CREATE ROLE reports LOGIN, GRANT it SELECT and nothing else, and REVOKE EXECUTE ON FUNCTION … FROM PUBLIC for functions that reach files or other databases.';

async function database({ source: config }: ReportsConfig): Promise<Finding> {
  const name = 'reports (database)';
  if (config === null) return there(name, 'The embedded sample: REPORTS_DATABASE_URL is not set.');
  const source = openSource(config, '');
  try {
    const reading = await source.begin({ statementTimeoutMs: ANSWER_WITHIN_MS });
    const excess = await excessRights(reading);
    await reading.end();
    if (excess.length === 0) return there(name, 'It answers, and its role may only read.');
    return missing(name, `It answers. ${excess.join(' ')}`, ROLE_ADVICE);
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const advice = 'Check REPORTS_DATABASE_URL: host, port, user, password, database.';
    return missing(name, error.message, advice);
  } finally {
    await source.close();
  }
}
