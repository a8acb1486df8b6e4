import type { Client, JobFilter, JobState } from '@millrace/api';
import { confirm, requirePerson } from '../terminal/confirm.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { failureOf } from '../failure.ts';
import { FILTER_OPTIONS, filterInWords, filterOf } from './filter.ts';
import { noteUnknownKind } from './kind-hint.ts';
import { type Values, flag } from '../line/option.ts';
import { clean } from '../render/width.ts';
import { tally, tallyInWords } from './tally.ts';
import { UsageError } from '../line/usage-error.ts';

/** Shared by retry and cancel: ids, or a filter with a confirmation. */
export const BULK_OPTIONS = {
  ...FILTER_OPTIONS,
  all: flag('Every job, if no other filter is given.'),
  yes: flag('Does not ask for confirmation.', 'y'),
};

export interface BulkAction {
  /** `Retry`, as the question begins. */
  readonly verb: string;
  /** The states it applies to. */
  readonly from: readonly JobState[];
  /** Does it to one job; gives what --json shows and what people read. */
  one(client: Client, id: string): Promise<{ readonly answer: object; readonly words: string }>;
  /** Does it to all of a filter. */
  many(
    client: Client,
    filter: JobFilter & { all?: true },
  ): Promise<{ readonly answer: object; readonly words: string }>;
}

type BulkValues = Values<typeof BULK_OPTIONS>;

export async function runBulk(
  context: Context,
  action: BulkAction,
  ids: readonly string[],
  { all, yes, ...values }: BulkValues,
): Promise<ExitCode> {
  const filter = filterOf(values, context.world.now());
  const filtered = Object.keys(filter).length > 0;
  if (ids.length > 0 && (filtered || all)) throw new UsageError('Give either ids or a filter.');
  if (ids.length > 0) return byIds(context, action, ids);
  if (!filtered && !all) throw new UsageError('Give ids, a filter such as --kind, or --all.');
  return byFilter(context, action, filter, { all, yes });
}

/** One refusal does not keep the others from being done; the first one gives the exit code. */
async function byIds(
  context: Context,
  action: BulkAction,
  ids: readonly string[],
): Promise<ExitCode> {
  const { client, out, err, json, quiet, document } = context;
  let exitCode: ExitCode = EXIT.ok;
  for (const id of ids) {
    try {
      const { answer, words } = await action.one(client, id);
      if (json) document(answer);
      else if (!quiet) out.line(words);
    } catch (thrown) {
      const failure = failureOf(thrown, context.url);
      if (failure.exitCode !== EXIT.notFound && failure.exitCode !== EXIT.refused) throw thrown;
      exitCode ||= failure.exitCode;
      if (json) document({ id, error: failure.problem });
      else err.line(err.paint('red', clean(`${id}: ${failure.sentence}`)));
    }
  }
  return exitCode;
}

async function byFilter(
  context: Context,
  action: BulkAction,
  filter: JobFilter,
  { all, yes }: { all: true | undefined; yes: true | undefined },
): Promise<ExitCode> {
  const { client, out, json, quiet, document } = context;
  if (!yes && !(await asksFirst(context, action, filter))) return EXIT.ok;
  const { answer, words } = await action.many(client, { ...filter, ...(all && { all }) });
  if (json) document(answer);
  else if (!quiet) out.line(words);
  return EXIT.ok;
}

/** `Retry 12 FAILED and 3 CANCELED jobs (kind hello)?`: with figures, a slip is seen in time. */
async function asksFirst(
  context: Context,
  { verb, from }: BulkAction,
  filter: JobFilter,
): Promise<boolean> {
  requirePerson(context);
  const found = await tally(context.client, filter, from);
  if (found.length === 0) {
    context.note('No matching jobs.');
    await noteUnknownKind(context, filter.kind);
    return false;
  }
  const { state: _, ...rest } = filter;
  const which = Object.keys(rest).length === 0 ? '' : ` (${filterInWords(rest)})`;
  const agreed = await confirm(context, `${verb} ${tallyInWords(found)}${which}?`);
  if (!agreed) context.note('Nothing was changed.');
  return agreed;
}
