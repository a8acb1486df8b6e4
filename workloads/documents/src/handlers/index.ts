import type { HandlersOf, Scope } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import type { DocumentsWithin } from '../within.ts';
import type { WaitingRecords } from '../one/waiting.ts';
import { batchHandlers } from './batches.ts';
import { fileHandlers } from './files.ts';
import { generateHandlers } from './generate.ts';
import { templateHandlers } from './templates.ts';
import type { WholeUploads } from './uploads.ts';

export function handlersOf(
  documents: DocumentsWithin,
  scope: Scope,
  waiting: WaitingRecords,
  whole: WholeUploads,
): HandlersOf<typeof contract.routes> {
  return {
    ...templateHandlers(documents, whole),
    ...fileHandlers(documents),
    ...generateHandlers(documents, waiting, scope),
    ...batchHandlers(documents, whole),
  };
}
