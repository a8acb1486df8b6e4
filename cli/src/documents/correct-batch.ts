import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { fileNameOf, openOutput } from '../terminal/output.ts';
import { counted } from '../render/number.ts';
import { openRows } from './rows.ts';

/** The failed rows of a batch: into a file, and back when they are corrected. */
export function howToCorrect(id: string): string {
  return `"millrace batch failed ${id}" writes the failed rows into a file; correct it, and "millrace batch retry ${id} --data FILE" sends it again.`;
}

/** `millrace batch failed`. */
export async function writeFailedRows(
  context: Context,
  id: string,
  { output, force }: { readonly output?: string; readonly force?: true },
): Promise<ExitCode> {
  const named = output === undefined ? null : await openOutput(context, output, force);
  const response = await context.client.downloadFailed({ params: { id } });
  const isCsv = response.headers.get('content-type')?.startsWith('text/csv') === true;
  const place =
    named ??
    (await openOutput(context, fileNameOf(`${id}-failed`, isCsv ? 'csv' : 'jsonl'), force));
  const size = await place.write(response.body ?? []);
  if (context.json) context.document({ id, path: place.path, size });
  else if (place.path !== '-') context.out.line(place.path);
  context.note(`Do not change the column "millrace line": it identifies the rows.`);
  return EXIT.ok;
}

/** `millrace batch retry`, with or without corrections. */
export async function retryBatch(
  context: Context,
  id: string,
  { data, sheet }: { readonly data?: string; readonly sheet?: string },
): Promise<ExitCode> {
  const { out, json, quiet, document, note } = context;
  const answer =
    data === undefined
      ? await context.client.retryBatch({ params: { id } })
      : await sendCorrections(context, id, data, sheet);
  if (json) document({ id, ...answer });
  else if (!quiet) out.line(`${counted(answer.retried, 'row')} queued again.`);
  note(`"millrace batch status ${id}" shows its progress.`);
  return EXIT.ok;
}

async function sendCorrections(
  context: Context,
  id: string,
  file: string,
  sheet: string | undefined,
): Promise<{ retried: number }> {
  const rows = await openRows(context, file);
  try {
    return await context.client.correctBatch({
      params: { id },
      query: { sheet },
      upload: { type: rows.type, bytes: rows.bytes },
    });
  } finally {
    rows.end();
  }
}
