import { stat } from 'node:fs/promises';
import type { FileProblem } from '@millrace/reports/contract';
import { UsageError } from '../line/usage-error.ts';

/** The reports of a folder, read here, and everything that is wrong with their files. */
export async function checkFolder(
  folder: string,
): Promise<{ readonly reports: readonly string[]; readonly problems: readonly FileProblem[] }> {
  const found = await stat(folder).catch(() => null);
  if (found?.isDirectory() !== true) throw new UsageError(`Folder not found: "${folder}".`);
  // Only here: everything else that the command line does needs no YAML and no SQL.
  const { createCatalogue } = await import('@millrace/reports/catalogue');
  const catalogue = createCatalogue({ folder });
  await catalogue.load();
  const { reports, troubled } = catalogue.now();
  return {
    reports: [...reports.keys()],
    problems: troubled.flatMap(({ problems }) => [...problems]),
  };
}
