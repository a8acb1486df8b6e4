import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import { openFolder, type OpenFolder } from './folder.ts';
import { type Control, controlOf, type Notice, type Order } from './wire.ts';

/**
 * The program of the embedded database's thread: one session after the other, each over a port. A statement runs to its
 * end in one go. While it writes, this thread stops after `WINDOW_BYTES` until the reader has taken some, so a result of any
 * size takes no more memory than that.
 */

const PIECE_BYTES = 64 * 1024;
const WINDOW_BYTES = 1024 * 1024;
/** The messages that end a question: Query, Sync, Terminate. */
const ENDINGS = ['Q', 'S', 'X'].map((letter) => letter.charCodeAt(0));

const { dataDir } = workerData as { dataDir: string };

const say = (notice: Notice): void => parentPort?.postMessage(notice, []);

const database = await openFolder(dataDir).catch(failed);
parentPort?.on('message', (order: Order) => {
  if (order.type === 'session') serve(database, order.port, controlOf(order.control));
  else void leave();
});
say({ type: 'open' });

async function leave(): Promise<void> {
  await database.pglite.close().catch(() => {});
  process.exit();
}

function failed(thrown: unknown): never {
  say({ type: 'failed', message: thrown instanceof Error ? thrown.message : String(thrown) });
  process.exit(1);
}

function serve({ pglite, interrupt }: OpenFolder, port: MessagePort, control: Control): void {
  const questions = createQuestions();
  const piece = { bytes: Buffer.allocUnsafe(PIECE_BYTES), length: 0 };
  /** Questions are answered in turn; PGlite does so at once, but gives a promise. */
  let last = Promise.resolve();

  function post(): void {
    if (piece.length === 0) return;
    const bytes = new Uint8Array(piece.bytes.subarray(0, piece.length));
    piece.length = 0;
    control.sent(bytes.length);
    port.postMessage(bytes, [bytes.buffer]);
    control.waitUntilTaken(WINDOW_BYTES);
  }

  function write(bytes: Uint8Array): void {
    if (control.isCancelled()) return interrupt(true);
    for (let from = 0; from < bytes.length;) {
      const part = bytes.subarray(from, from + PIECE_BYTES - piece.length);
      piece.bytes.set(part, piece.length);
      piece.length += part.length;
      from += part.length;
      if (piece.length === PIECE_BYTES) post();
    }
  }

  async function answer(question: Uint8Array): Promise<void> {
    if (control.isCancelled()) return;
    await pglite.execProtocolRawStream(question, { syncToFs: false, onRawData: write });
    post();
  }

  async function cleanUp(): Promise<void> {
    // The statement may have ended before it looked.
    interrupt(false);
    await pglite.exec('ROLLBACK');
    await pglite.exec('DISCARD ALL');
    say({ type: 'idle' });
  }

  port.on('message', (bytes: Uint8Array) => {
    for (const question of questions(bytes)) last = last.then(() => answer(question));
    last = last.catch(failed);
  });
  port.on('close', () => {
    last = last.then(cleanUp).catch(failed);
  });
}

/**
 * Puts together what Postgres answers as one: a startup, a simple query, or everything up to a Sync. PGlite answers what it is
 * given and no more.
 */
function createQuestions(): (bytes: Uint8Array) => Uint8Array[] {
  let rest: Buffer = Buffer.alloc(0);
  /** Up to here `rest` has whole messages that wait for the end of their question. */
  let whole = 0;
  let isStarted = false;

  /** Where the message at `from` ends; null if it is not there yet. The startup alone has no letter before its length. */
  function endOfMessage(from: number): number | null {
    const lengthAt = isStarted ? from + 1 : from;
    if (rest.length < lengthAt + 4) return null;
    const end = lengthAt + rest.readUInt32BE(lengthAt);
    return end <= rest.length ? end : null;
  }

  return (bytes) => {
    rest = rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([rest, bytes]);
    const questions: Uint8Array[] = [];
    for (;;) {
      const end = endOfMessage(whole);
      if (end === null) return questions;
      const endsQuestion = !isStarted || ENDINGS.includes(rest[whole] ?? 0);
      isStarted = true;
      whole = end;
      if (!endsQuestion) continue;
      questions.push(rest.subarray(0, whole));
      rest = rest.subarray(whole);
      whole = 0;
    }
  };
}
