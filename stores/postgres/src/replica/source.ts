import type { NewJob } from '@millrace/engine';
import { SOURCES, type Source } from '../figures.ts';

/** All jobs of a pipeline's run carry the run's id. */
const PIPELINE_RUN = /^pipe-\d+$/;

/** What made a job, as far as its fields tell. Records of Salesforce are made elsewhere and counted when they begin. */
export function sourceOf({ schedule, correlationId, parents, submitter }: NewJob): Source {
  if (schedule !== undefined) return 'schedule';
  if (correlationId !== undefined && PIPELINE_RUN.test(correlationId)) return 'pipeline';
  if (parents !== undefined) return 'rule';
  return submitter === undefined ? 'other' : 'api';
}

export const SOURCE_PLACE = Object.fromEntries(
  SOURCES.map((source, place) => [source, place]),
) as Readonly<Record<Source, number>>;
