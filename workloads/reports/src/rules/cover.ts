import type { Follower } from '@millrace/engine';
import type { ReportDefinition } from '../catalogue/types.ts';
import type { ReportJob } from '../job-data.ts';
import type { ReportOutcome } from '../result.ts';

/** The kind of job that makes a document, of whichever workload has it. */
export const DOCUMENT = 'document';

/**
 * A PDF about the report, which a rule has the documents make of one of their templates. Its fields: `report`, `title`, `rows`,
 * `fileName`, `bytes`, `sha256`, `note`, `submitter`, and each parameter under `parameters`.
 */
export function coverOf(
  { name, value }: ReportDefinition,
  { job, outcome }: { readonly job: ReportJob; readonly outcome: ReportOutcome },
): Follower | null {
  const { cover, title, parameters: declared, timeZone } = value;
  if (cover === null || (cover.when === 'rows' && outcome.rows === 0)) return null;
  const { parameters, ...facts } = outcome;
  return {
    child: DOCUMENT,
    data: {
      templateId: cover.template,
      outputFileName: `${facts.fileName ?? name} - cover`,
      timezone: timeZone,
      data: {
        ...facts,
        report: name,
        title,
        submitter: job.identity.name,
        parameters,
        settings: declared.map(({ name: parameter, label }) => ({
          label,
          value: [parameters[parameter] ?? ''].flat().join(', '),
        })),
      },
    },
  };
}
