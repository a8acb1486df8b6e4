import { once } from 'node:events';
import { parentPort, workerData } from 'node:worker_threads';
import { DocumentError } from '../../document-error.ts';
import { readCsv } from './csv.ts';
import type { CsvOrder } from './csv-thread.ts';
import { createLinesOut } from './lines-out.ts';
import type { ThreadAnswer } from './reading-thread.ts';
import { decoded } from './text.ts';

const { delimiter: asked, codePage, taken } = workerData as CsvOrder;
const port = parentPort;
if (port === null) throw new Error('This is a thread of the documents workload.');

function say(answer: ThreadAnswer): void {
  port?.postMessage(answer);
}

async function* chunks(from: NonNullable<typeof port>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const next = once(from, 'message');
    say({ type: 'more' });
    const [chunk] = (await next) as [Uint8Array | null];
    if (chunk === null) return;
    yield chunk;
  }
}

try {
  const text = await decoded(chunks(port), codePage);
  const { delimiter, lines } = await readCsv(text.texts, asked);
  say({ type: 'delimiter', delimiter });
  const out = createLinesOut(taken, (rows) => say({ type: 'rows', rows }));
  for await (const row of lines) out.add(row);
  out.flush();
  say({ type: 'encoding', encoding: text.encoding() });
  say({ type: 'end' });
} catch (error) {
  if (!(error instanceof DocumentError)) throw error;
  say({ type: 'refused', message: error.message });
}
