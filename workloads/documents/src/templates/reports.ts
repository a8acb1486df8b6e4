import { type LintReport, withInstalledFonts } from '@millrace/docx';
import type { Database } from '@millrace/store-postgres';
import { refusalOf } from '../errors.ts';
import { idOf } from '../ids.ts';
import { templateRows } from './records.ts';
import type { TemplateThreads } from './threads.ts';

/** What lint says about the versions that are kept: made once by each build of the engine, and kept beside them. */
export function createReports(params: {
  database: Database;
  threads: TemplateThreads;
  /** The version of what lints, kept with its reports. */
  build: string;
  installedFonts: readonly string[] | undefined;
  bytes: (id: string, tenant: string) => Promise<{ bytes: Uint8Array }>;
}): (seq: number, tenant: string) => Promise<LintReport> {
  const { database, threads, build, installedFonts, bytes } = params;
  const reporting = new Map<number, Promise<LintReport>>();

  /** Those who ask for the same one at the same time wait for one report. */
  function makeReport(seq: number, tenant: string): Promise<LintReport> {
    const made = bytes(idOf('tpl', seq), tenant)
      .then(async ({ bytes: file }) => {
        const lint = await threads.lint(file);
        await templateRows.keepReport(database, { tenant, seq, build, lint });
        return lint;
      })
      .catch((error: unknown) => {
        throw refusalOf(error, 'template_invalid');
      })
      .finally(() => reporting.delete(seq));
    reporting.set(seq, made);
    return made;
  }

  return async (seq, tenant) => {
    const report =
      (await templateRows.report(database, tenant, seq, build)) ??
      (await (reporting.get(seq) ?? makeReport(seq, tenant)));
    return withInstalledFonts(report, installedFonts);
  };
}
