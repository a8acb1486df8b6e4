import type { Schedule } from '@millrace/engine';
import type { CatalogueView } from '../catalogue/types.ts';
import { identityOfService, submitterOf } from '../identity/identity.ts';
import { REPORT, type ReportJob } from '../job-data.ts';
import { claimsNeeded } from './claims.ts';

/** The schedules of all reports, as the engine runs them. One whose service identity is not there waits until it is. */
export function schedulesOf(view: CatalogueView): Schedule[] {
  return [...view.reports.values()].flatMap(({ value: report, digest }) =>
    report.schedules.flatMap((schedule): Schedule[] => {
      const service = view.services.get(schedule.as);
      if (service === undefined) return [];
      const { name, cron, timeZone, missed, overlap, parameters, output } = schedule;
      const data: ReportJob = {
        report: report.name,
        digest,
        parameters,
        output,
        identity: identityOfService(service, claimsNeeded(view, report.name)),
        ...(timeZone !== report.timeZone && { timeZone }),
      };
      return [
        {
          name,
          cron,
          timeZone,
          missed,
          overlap,
          job: {
            kind: REPORT,
            data,
            submitter: submitterOf(service.name),
            ...(service.tenant !== '' && { tenant: service.tenant }),
          },
          dataAt: (tick): ReportJob => ({ ...data, at: tick }),
        },
      ];
    }),
  );
}
