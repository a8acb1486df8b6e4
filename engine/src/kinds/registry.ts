import { z } from 'zod';
import { JobFailure, MillraceError } from '../errors.ts';
import { type JobKind, defineJob } from './kind.ts';
import { done } from './outcome.ts';
import { isFinished } from '../states.ts';

/** The kinds this process knows, by name. */
export interface Registry {
  get(kind: string): JobKind | undefined;
  /** Throws `unknown_kind`. */
  require(kind: string): JobKind;
  all(): JobKind[];
}

export function createRegistry(kinds: readonly JobKind[]): Registry {
  const byName = new Map<string, JobKind>();
  for (const kind of kinds.flatMap((each) =>
    each.hasCleanup ? [each, cleanupKind(each)] : [each],
  )) {
    if (byName.has(kind.kind)) {
      throw new MillraceError(
        'invalid_definition',
        `Two kinds are called "${kind.kind}". Rename one of them.`,
      );
    }
    byName.set(kind.kind, kind);
  }
  /** The kinds that people wrote: without the engine's own, and those made for their cleanup. */
  const named = (): string[] =>
    kinds.map(({ kind }) => kind).filter((name) => !name.startsWith('millrace.'));
  return {
    get: (name) => byName.get(name),
    require(name) {
      const kind = byName.get(name);
      if (kind === undefined) {
        throw new MillraceError(
          'unknown_kind',
          `There is no kind "${name}". Known kinds: ${named().join(', ') || 'none'}.`,
        );
      }
      return kind;
    },
    all: () => [...byName.values()],
  };
}

export function cleanupKindName(kind: string): string {
  return `${kind}.cleanup`;
}

/** Cleaning up is a job like any other: it survives crashes and is retried. */
function cleanupKind(kind: JobKind): JobKind {
  const made = defineJob({
    kind: cleanupKindName(kind.kind),
    input: z.object({ job: z.string() }),
    async run({ data }, context, service: unknown) {
      const job = await context.get(data.job);
      if (job?.payload == null) return done();
      // Someone has the job run again, or it has succeeded: what it left is in use, and its next failure has a
      // cleanup of its own.
      if (!isFinished(job.state) || job.state === 'SUCCEEDED') return done();
      const parsed = kind.input.safeParse(JSON.parse(job.payload));
      if (!parsed.success)
        throw new JobFailure(
          'validation_error',
          'The job to clean up after has data its kind no longer takes.',
          { retryable: false },
        );
      await kind.cleanup(
        {
          id: job.id,
          data: parsed.data,
          cursor: job.cursor === null ? null : JSON.parse(job.cursor),
        },
        context,
        service,
      );
      return done();
    },
  });
  return { ...made, owner: kind.kind };
}
