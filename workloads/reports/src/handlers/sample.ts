import { type HandlersOf, isoOrNull, ok } from '@millrace/workload-kit';
import type { ReportSample, sampleContracts } from '../contract/sample.ts';
import { ReportError } from '../errors.ts';
import type { Filling, SampleStatus } from '../sample/filling.ts';
import type { ReportsWithin } from '../within.ts';

export function sampleHandlers({ sample }: ReportsWithin): HandlersOf<typeof sampleContracts> {
  function required(): Filling {
    if (sample !== null) return sample;
    throw new ReportError(
      'sample_not_embedded',
      'REPORTS_DATABASE_URL names a database of yours, which is only read.',
    );
  }
  return {
    async getReportSample() {
      return ok(sampleJson(await required().status()));
    },
    async fillReportSample({ body: { rows } }) {
      return { status: 202, body: sampleJson(await required().begin(rows)) };
    },
  };
}

function sampleJson({ startedAt, ...status }: SampleStatus): ReportSample {
  return { ...status, startedAt: isoOrNull(startedAt) };
}
