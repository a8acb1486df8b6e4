import type { WorkloadContract } from '@millrace/workload-kit/contract';
import { batch, batchCounts, batchItem, documentContracts, itemState } from './documents.ts';
import { envelopeSchema } from './envelope.ts';
import { errors } from './errors.ts';
import { failures } from './failures.ts';
import { file, fileContracts } from './files.ts';
import { metrics } from './metrics.ts';
import { rowContracts, rowsChecked, tableRead } from './rows.ts';
import {
  lintReport,
  template,
  templateAdded,
  templateContracts,
  templatePage,
} from './templates.ts';

export { failures } from './failures.ts';
export { type Batch, PASSWORD_HEADER } from './documents.ts';
export { type Envelope, type EnvelopeInput, envelopeSchema } from './envelope.ts';
export type { File } from './files.ts';
export type { RowsChecked, TableRead } from './rows.ts';
export { DOCX_TYPE, type LintReport, type Template } from './templates.ts';

/** All that server, command line and console know of the documents. Safe in a browser. */
export const contract = {
  routes: { ...documentContracts, ...rowContracts, ...templateContracts, ...fileContracts },
  groups: [
    {
      name: 'Documents',
      about: 'A DOCX template and data make a PDF: one at once, or one for each row of a batch.',
      contracts: { ...documentContracts, ...rowContracts },
    },
    {
      name: 'Templates',
      about: 'DOCX files with {{fields}}. A version never changes; a name means its newest one.',
      contracts: templateContracts,
    },
    { name: 'Files', about: 'What was made, until its time is over.', contracts: fileContracts },
  ],
  schemas: {
    asked: { Envelope: envelopeSchema, ItemState: itemState },
    given: {
      Batch: batch,
      BatchCounts: batchCounts,
      BatchItem: batchItem,
      ItemState: itemState,
      Template: template,
      TemplateAdded: templateAdded,
      TemplatePage: templatePage,
      LintReport: lintReport,
      File: file,
      TableRead: tableRead,
      RowsChecked: rowsChecked,
    },
  },
  errors,
  failures,
  metrics,
} as const satisfies WorkloadContract;
