import { type DataProblem, TemplateError } from '../errors.ts';
import type { LintOptions, LintReport } from '../lint.ts';
import type { MergeOptions, Template } from '../template.ts';
import type { Trial } from '../trial/trial.ts';

/** The questions to a thread and its answers: plain data, since nothing else goes from thread to thread. */
export type Question =
  | { readonly type: 'lint'; readonly bytes: Uint8Array; readonly options: LintOptions }
  /** Compiled first: a template that cannot be is refused with its first problem. */
  | { readonly type: 'check'; readonly bytes: Uint8Array; readonly options: LintOptions }
  | { readonly type: 'trial'; readonly bytes: Uint8Array; readonly options: LintOptions }
  | ({ readonly type: 'compile' } & Named)
  | ({ readonly type: 'merge'; readonly data: unknown; readonly options: MergeOptions } & Named)
  | ({
      readonly type: 'problems';
      readonly rows: readonly unknown[];
      readonly options: CheckOptions;
    } & Named)
  | ({ readonly type: 'images'; readonly asked: Parameters<Template['imagesNeeded']> } & Named);

export type CheckOptions = NonNullable<Parameters<Template['problems']>[1]>;

/** A compiled template by its number. A thread that does not have it says so, and is asked again with its bytes. */
export interface Named {
  readonly template: number;
  readonly bytes: Uint8Array | null;
}

export type Facts = Pick<Template, 'fields' | 'fonts' | 'size' | 'stripped' | 'hasImages'>;

export type Answer =
  | { readonly type: 'report'; readonly report: LintReport }
  | { readonly type: 'trial'; readonly trial: Trial }
  | { readonly type: 'compiled'; readonly facts: Facts }
  | { readonly type: 'merged'; readonly docx: Uint8Array<ArrayBuffer> }
  | { readonly type: 'images'; readonly urls: string[] }
  | { readonly type: 'problems'; readonly problems: (readonly DataProblem[])[] }
  | { readonly type: 'unknown' }
  | { readonly type: 'refused'; readonly refusal: Refusal }
  /** Nobody meant to throw this. */
  | { readonly type: 'broken'; readonly message: string; readonly stack: string | undefined };

interface Refusal extends DataProblem {
  readonly problems: readonly DataProblem[];
}

/** An error loses its class between threads. */
export function answerOf(thrown: unknown): Answer {
  if (thrown instanceof TemplateError) {
    const { code, message, part, paragraph, snippet, field, problems } = thrown;
    const about = {
      ...(part !== undefined && { part }),
      ...(paragraph !== undefined && { paragraph }),
      ...(snippet !== undefined && { snippet }),
      ...(field !== undefined && { field }),
    };
    return { type: 'refused', refusal: { code, message, problems, ...about } };
  }
  const isError = thrown instanceof Error;
  return {
    type: 'broken',
    message: isError ? `${thrown.name}: ${thrown.message}` : String(thrown),
    stack: isError ? thrown.stack : undefined,
  };
}

export function errorOf(answer: Extract<Answer, { type: 'refused' | 'broken' }>): Error {
  if (answer.type === 'refused') {
    const { code, message, ...about } = answer.refusal;
    return new TemplateError(code, message, about);
  }
  const error = new Error(answer.message);
  if (answer.stack !== undefined) error.stack = answer.stack;
  return error;
}
