import type { HandlersOf } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import type { ReportsWithin } from '../within.ts';
import { catalogueHandlers } from './catalogue.ts';
import { fileHandlers } from './files.ts';
import { runHandlers } from './runs.ts';
import { sampleHandlers } from './sample.ts';

/** Every route of reports, for one caller. */
export function handlersOf(reports: ReportsWithin): HandlersOf<typeof contract.routes> {
  return {
    ...catalogueHandlers(reports),
    ...runHandlers(reports),
    ...fileHandlers(reports),
    ...sampleHandlers(reports),
  };
}
