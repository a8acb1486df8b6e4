import type { AppParts, Answered, Handlers } from '../http/handler.ts';
import { batchHandlers } from './batches.ts';
import { fileHandlers } from './files.ts';
import { generateHandlers } from './generate.ts';
import { templateHandlers } from './templates.ts';

type Names = Extract<
  Answered,
  | keyof ReturnType<typeof templateHandlers>
  | keyof ReturnType<typeof fileHandlers>
  | keyof ReturnType<typeof generateHandlers>
  | keyof ReturnType<typeof batchHandlers>
>;

/** Nothing in a process that makes no documents. */
export function documentsHandlers({ documents, orgs }: AppParts): Partial<Handlers<Names>> {
  if (documents === null) return {};
  return {
    ...templateHandlers(documents),
    ...fileHandlers(documents),
    ...generateHandlers(documents, { orgs }),
    ...batchHandlers(documents),
  };
}
