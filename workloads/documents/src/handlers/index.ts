import type { HandlersOf } from '@millrace/workload-kit';
import type { contract } from '../contract/index.ts';
import type { Documents } from '../documents.ts';
import type { WaitingRecords } from '../one/waiting.ts';
import { batchHandlers } from './batches.ts';
import { fileHandlers } from './files.ts';
import { generateHandlers } from './generate.ts';
import { templateHandlers } from './templates.ts';
import type { WholeUploads } from './uploads.ts';

export function handlersOf(
  documents: Documents,
  waiting: WaitingRecords,
  whole: WholeUploads,
): HandlersOf<typeof contract.routes> {
  return {
    ...templateHandlers(documents, whole),
    ...fileHandlers(documents),
    ...generateHandlers(documents, waiting),
    ...batchHandlers(documents),
  };
}
