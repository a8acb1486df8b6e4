import type { WorkloadContract } from '@millrace/workload-kit/contract';
import { catalogueContracts, fileProblem, parameter, report, reportGraph } from './catalogue.ts';
import { errors } from './errors.ts';
import { failures } from './failures.ts';
import { fileContracts } from './files.ts';
import { metrics } from './metrics.ts';
import { reportEvent, reportProgress, reportResult, reportRun, runContracts } from './runs.ts';
import { reportSample, sampleContracts } from './sample.ts';
import { compression, format } from './values.ts';

export type { FileProblem, Parameter, Report, ReportGraph } from './catalogue.ts';
export { failures } from './failures.ts';
export type { ReportRun } from './runs.ts';
export { MOST_SAMPLE_ROWS, type ReportSample } from './sample.ts';
export { COMPRESSIONS, type Compression, FORMATS, type Format } from './values.ts';

/** All that server, command line and console know of the reports. Safe in a browser. */
export const contract = {
  routes: {
    ...catalogueContracts,
    ...runContracts,
    ...fileContracts,
    ...sampleContracts,
  },
  groups: [
    {
      name: 'Reports',
      about: 'What can be reported: files with SQL, parameters, row rules and what follows.',
      contracts: { ...catalogueContracts, ...sampleContracts },
    },
    {
      name: 'Report runs',
      about: 'A report on its way to a file: in chunks, so that a crash costs one of them.',
      contracts: { ...runContracts, ...fileContracts },
    },
  ],
  schemas: {
    asked: { ReportFormat: format, ReportCompression: compression },
    given: {
      Report: report,
      ReportParameter: parameter,
      ReportFileProblem: fileProblem,
      ReportGraph: reportGraph,
      ReportSample: reportSample,
      ReportRun: reportRun,
      ReportProgress: reportProgress,
      ReportResult: reportResult,
      ReportEvent: reportEvent,
      ReportFormat: format,
      ReportCompression: compression,
    },
  },
  errors,
  failures,
  metrics,
  topics: { report: reportEvent },
} as const satisfies WorkloadContract;
