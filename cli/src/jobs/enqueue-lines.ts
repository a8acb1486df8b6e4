import { ApiError, type Enqueued, type JobRequest, MAX_BATCH } from '@millrace/api';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { failureOf, isTransient, neverArrived } from '../failure.ts';
import { type Input, linesOf, parseJson } from '../input.ts';
import { bar, percent } from '../render/bar.ts';
import { createLive } from '../render/live.ts';
import { count, counted } from '../render/number.ts';

/** Half of what the server takes in one request. */
const BATCH_CHARACTERS = 1_000_000;

interface Entry {
  readonly line: number;
  readonly data: unknown;
}

/**
 * One job per line, in batches. It stops at the first line that is not JSON or that the server refuses;
 * the lines before it have become jobs, and no line after it has.
 */
export async function enqueueLines(
  context: Context,
  template: JobRequest,
  input: Input,
): Promise<ExitCode> {
  const progress = progressOf(context, input.bytes);
  const tell = reporterOf(context);
  let made = 0;
  let there = 0;
  let batch: Entry[] = [];
  let characters = 0;

  async function flush(): Promise<void> {
    const entries = batch;
    batch = [];
    characters = 0;
    for await (const enqueued of send(context, template, entries)) {
      tell(enqueued);
      const created = enqueued.filter((each) => each.created).length;
      made += created;
      there += enqueued.length - created;
    }
  }

  try {
    for await (const { text, number, bytesRead } of linesOf(input)) {
      const data = await parseOrFlush(text, number, flush);
      batch.push({ line: number, data });
      characters += text.length;
      if (batch.length < MAX_BATCH && characters < BATCH_CHARACTERS) continue;
      await flush();
      progress.show(made + there, bytesRead);
    }
    if (batch.length > 0) await flush();
  } finally {
    progress.end();
    context.note(summary(made, there));
  }
  return EXIT.ok;
}

/** Sends the lines before a broken one, then reports it. */
async function parseOrFlush(
  text: string,
  number: number,
  flush: () => Promise<void>,
): Promise<unknown> {
  try {
    return parseJson(text, `Line ${count(number)}`);
  } catch (thrown) {
    await flush();
    throw thrown;
  }
}

/**
 * A batch is made whole or not at all. One that is refused is halved until the line that is to blame
 * stands alone: the server does not say which one it is.
 */
async function* send(
  context: Context,
  template: JobRequest,
  entries: readonly Entry[],
): AsyncGenerator<Enqueued[]> {
  const [first] = entries;
  if (first === undefined) return;
  try {
    const body = entries.map(({ data }) => ({ ...template, data }));
    yield (await context.client.enqueueBatch({ body })).jobs;
  } catch (thrown) {
    if (isTransient(thrown) && !neverArrived(thrown)) context.note(unknown(entries));
    if (!(thrown instanceof ApiError)) throw thrown;
    if (failureOf(thrown, context.url).exitCode !== EXIT.refused) throw thrown;
    if (entries.length === 1) {
      const detail = `Line ${count(first.line)}: ${thrown.problem.detail}`;
      throw new ApiError({ ...thrown.problem, detail });
    }
    const middle = Math.ceil(entries.length / 2);
    yield* send(context, template, entries.slice(0, middle));
    yield* send(context, template, entries.slice(middle));
  }
}

/** Ids for whoever reads them; a terminal would only scroll. */
function reporterOf({
  json,
  quiet,
  out,
  document,
}: Context): (enqueued: readonly Enqueued[]) => void {
  if (json) return (enqueued) => enqueued.forEach(document);
  if (out.isTerminal && !quiet) return () => {};
  return (enqueued) => out.write(enqueued.map(({ id }) => `${id}\n`).join(''));
}

function progressOf({ err, json, quiet }: Context, bytes: number | null) {
  const live = err.isLive && !json && !quiet ? createLive(err) : null;
  return {
    show(jobs: number, bytesRead: number): void {
      const fraction = bytes === null || bytes === 0 ? null : bytesRead / bytes;
      const measured =
        fraction === null
          ? ''
          : `${bar(fraction, 30, err.paint)} ${percent(fraction).padStart(5)}  `;
      live?.draw([`${measured}${counted(jobs, 'job')}`]);
    },
    end: () => live?.end(),
  };
}

/** The request went out and no answer came: to send these lines again could double them. */
function unknown(entries: readonly Entry[]): string {
  const [first, last] = [entries[0]?.line ?? 0, entries.at(-1)?.line ?? 0];
  return `It is unknown whether lines ${count(first)} to ${count(last)} became jobs.`;
}

function summary(made: number, there: number): string {
  const already = there === 0 ? '' : `, ${count(there)} there already`;
  return `${counted(made, 'job')} enqueued${already}.`;
}
