import { type Batch, PASSWORD_HEADER } from '@millrace/documents/contract';
import { exitCodeForBatch, failedRows, warnedRows } from './batch-rows.ts';
import type { Context } from '../context.ts';
import { howToCorrect } from './correct-batch.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { doneOf, isOver } from './batch-rows.ts';
import { type Status, follow } from '../runs/follow.ts';
import { silenceLines } from '../runs/watch.ts';
import { createOutlooks } from '../jobs/outlook.ts';
import { type Output, fileNameOf, openOutput } from '../terminal/output.ts';
import { batchBegun, batchLine, batchSummary, rowLine } from './render/batch.ts';
import { createLive } from '../render/live.ts';
import { count, size } from '../render/number.ts';
import { clean } from '../render/width.ts';
import type { PdfWishes } from './pdf-options.ts';
import { openRows } from './rows.ts';

export interface BatchWishes {
  readonly name?: string;
  readonly format?: 'pdf' | 'docx';
  readonly locale?: string;
  readonly timezone?: string;
  readonly subject?: string;
  readonly strict?: true;
  readonly 'allow-missing'?: true;
  readonly 'data-locale'?: string;
  readonly preview?: number;
  readonly priority?: number;
  readonly sheet?: string;
  readonly 'no-wait'?: true;
  /** One PDF instead of a ZIP. */
  readonly merge?: true;
  readonly pdf?: PdfWishes | null;
  readonly output?: string;
  readonly force?: true;
}

/** More would push the rest off the screen; `batch status` has them all. */
const SHOWN_ROWS = 20;
/** They are much the same in all rows. */
const SHOWN_WARNINGS = 3;

/** From rows to a ZIP or one PDF: send, poll until it has ended, report failures, download. */
export async function runBatch(
  context: Context,
  templateId: string,
  file: string,
  wishes: BatchWishes,
): Promise<ExitCode> {
  const { out, json, document, note } = context;
  const named =
    wishes.output === undefined ? null : await openOutput(context, wishes.output, wishes.force);
  const made = await send(context, templateId, file, wishes);
  if (wishes['no-wait']) {
    if (json) document(made);
    else out.line(made.id);
    return EXIT.ok;
  }
  note(batchBegun(made));
  const ended = await followed(context, made);
  const failures = await failedRows(context, ended, json ? Infinity : SHOWN_ROWS);
  const warnings = await warnedRows(context, ended, json ? Infinity : SHOWN_WARNINGS);
  if (!json) tell(context, ended, failures, warnings);
  const fetched =
    ended.counts.succeeded > 0 ? await fetchOrExplain(context, ended, named, wishes) : null;
  if (json) document({ ...ended, failures, warnings, ...fetched });
  return exitCodeForBatch(ended);
}

async function send(
  context: Context,
  templateId: string,
  file: string,
  wishes: BatchWishes,
): Promise<Batch> {
  const { name, format, locale, timezone, subject, preview, priority, sheet } = wishes;
  const { password, pages, pdfUa, ...pdf } = wishes.pdf ?? {};
  const rows = await openRows(context, file);
  const outputFormat = format === undefined ? undefined : format === 'pdf' ? 'PDF' : 'DOCX';
  try {
    return await context.client.createBatch(
      {
        query: {
          templateId,
          outputFileName: name,
          outputFormat,
          locale,
          timezone,
          subject,
          preview,
          priority,
          sheet,
          dataLocale: wishes['data-locale'],
          ...pdf,
          ...(pdfUa && { pdfUa: 'true' }),
          ...(pages !== undefined && { pageRange: pages }),
          ...(wishes.strict && { strict: 'true' }),
          ...(wishes['allow-missing'] && { allowMissing: 'true' }),
        },
        upload: { type: rows.type, bytes: rows.bytes },
      },
      password === undefined
        ? {}
        : { headers: { [PASSWORD_HEADER]: encodeURIComponent(password) } },
    );
  } finally {
    rows.end();
  }
}

/** Why nothing of a batch is made yet: other documents may be before its own. Only where somebody looks on. */
async function waitsFor(
  { client, err, json, quiet }: Context,
  { run: batch, changed, silentSince }: Status<Batch>,
): Promise<string | null> {
  const isWaiting = doneOf(batch) + batch.counts.running === 0 && batch.state === 'RUNNING';
  if (!isWaiting || changed || silentSince !== null || !err.isLive || json || quiet) return null;
  try {
    const { correlationId } = batch;
    const query = { kind: 'document', state: 'QUEUED', correlationId, limit: 1 } as const;
    const [job] = (await client.listJobs({ query })).jobs;
    return job === undefined
      ? null
      : clean((await client.explainJob({ params: { id: job.id } })).sentence);
  } catch {
    // A hint only: the next look says whether the server is there.
    return null;
  }
}

/** Ctrl-C stops watching, not the batch. */
async function followed(context: Context, made: Batch): Promise<Batch> {
  const progress = progressOf(context);
  let last = made;
  try {
    const statuses = follow<Batch>(context, made, {
      poll: () => context.client.getBatch({ params: { id: made.id } }),
      hasEnded: isOver,
      isRunning: () => true,
    });
    for await (const status of statuses) {
      last = status.run;
      if (context.json && status.changed) context.document(last);
      progress.show(last, status.silentSince, await waitsFor(context, status));
    }
    progress.end();
    return last;
  } catch (thrown) {
    progress.end();
    context.note(
      `${made.id} continues in the background: "millrace batch status ${made.id}" shows its progress, "millrace batch download ${made.id}" downloads the documents.`,
    );
    throw thrown;
  }
}

function progressOf(context: Context) {
  const { err, json, quiet, world } = context;
  const live = err.isLive && !json && !quiet ? createLive(err) : null;
  const outlook = createOutlooks();
  return {
    show(batch: Batch, silentSince: number | null, waits: string | null): void {
      const now = world.now();
      const progress = { done: doneOf(batch), total: batch.total };
      const { leftMs } = outlook({ id: batch.id, attempt: 0, progress }, now);
      live?.draw([
        batchLine(batch, leftMs, err.paint),
        ...(waits === null ? [] : [err.paint('dim', waits)]),
        ...silenceLines(context, silentSince),
      ]);
    },
    end: () => live?.end(),
  };
}

function tell(
  { err, note, quiet }: Context,
  ended: Batch,
  failures: Awaited<ReturnType<typeof failedRows>>,
  warnings: Awaited<ReturnType<typeof warnedRows>>,
): void {
  if (quiet) return;
  for (const row of [...warnings, ...failures]) err.line(rowLine(row, err.paint));
  const more = ended.counts.failed - failures.length;
  if (more > 0)
    note(`and ${count(more)} more: "millrace batch status ${ended.id}" lists them all.`);
  note(batchSummary(ended));
  if (ended.counts.failed > 0) note(howToCorrect(ended.id));
  if (failures.some(({ error }) => OTHER_LOCALE.test(error?.message ?? ''))) note(NAME_LOCALE);
}

/** The code for a cell written in another locale. */
const OTHER_LOCALE = /cannot be read as a (?:number|date)/;
const NAME_LOCALE =
  'If the file has numbers and dates such as 1.234,50 and 30.11.2026, run the batch again with its locale: --data-locale de-DE.';

/** Says after a failed download that the documents are kept on the server. */
async function fetchOrExplain(
  context: Context,
  { id }: Batch,
  named: Output | null,
  wishes: BatchWishes,
): Promise<{ path: string; size: number }> {
  try {
    return await fetchAll(context, id, wishes, named ?? (await placeOf(context, id, wishes)));
  } catch (thrown) {
    context.note(`The documents are kept: millrace batch download ${id} -o FILE.zip`);
    throw thrown;
  }
}

function placeOf(
  context: Context,
  id: string,
  { output, force, merge }: BatchWishes,
): Promise<Output> {
  return openOutput(context, output ?? fileNameOf(id, merge ? 'pdf' : 'zip'), force);
}

async function fetchAll(
  { client, out, json, note }: Context,
  id: string,
  { merge }: BatchWishes,
  output: Output,
): Promise<{ path: string; size: number }> {
  const params = { id };
  if (merge) note('Merging them into one PDF.');
  const response = await (merge
    ? client.downloadMerged({ params })
    : client.downloadBatch({ params }));
  const bytes = await output.write(response.body ?? []);
  if (!json && output.path !== '-') out.line(output.path);
  note(`${size(bytes)}.`);
  return { path: output.path, size: bytes };
}

/** `millrace batch download`. */
export async function downloadBatch(
  context: Context,
  id: string,
  wishes: BatchWishes,
): Promise<ExitCode> {
  const fetched = await fetchAll(context, id, wishes, await placeOf(context, id, wishes));
  if (context.json) context.document({ id, ...fetched });
  return EXIT.ok;
}
