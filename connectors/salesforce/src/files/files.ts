import { Readable } from 'node:stream';
import type { Caller } from '../calls/call.ts';
import type { Deadline } from '../calls/deadline.ts';
import { SalesforceError } from '../errors.ts';
import { multipart } from './multipart.ts';
import { readBytes, readJson } from '../calls/read.ts';
import type { CallOptions, FileStream, Salesforce, UploadFile } from '../types.ts';
import { type Answer, closedError, failure } from '../calls/wire.ts';

const LARGEST_DOWNLOAD = 100 * 1024 * 1024;
/** Bytes as they are: then a length tells when the file is whole. */
const AS_IS = { accept: '*/*', 'accept-encoding': 'identity' };

export interface Files extends Pick<Salesforce, 'download' | 'stream' | 'upload'> {
  /** Ends the open streams with an error. */
  close(): void;
}

export function createFiles(caller: Caller): Files {
  const open = new Set<Readable>();

  async function stream(path: string, options: CallOptions = {}): Promise<FileStream> {
    return caller.call(
      { ...options, method: 'GET', path, headers: AS_IS },
      async (answer, { deadline, keep }) => {
        refuseOthers(answer);
        const end = keep();
        const body = readableOf(answer.body, deadline);
        open.add(body);
        body.once('close', () => {
          open.delete(body);
          end();
        });
        const length = answer.headers['content-length'];
        const size = length === undefined ? null : Number(length);
        return { headers: answer.headers, size, body };
      },
    );
  }

  async function download(
    path: string,
    options: CallOptions & { readonly most?: number } = {},
  ): Promise<Uint8Array> {
    const { most = LARGEST_DOWNLOAD, ...call } = options;
    return caller.call(
      { ...call, method: 'GET', path, headers: AS_IS },
      async (answer, { deadline }) => {
        refuseOthers(answer);
        return readBytes(answer.body, most, deadline, deadline.rearm);
      },
    );
  }

  async function upload(file: UploadFile, options: CallOptions = {}): Promise<{ id: string }> {
    const path = 'sobjects/ContentVersion';
    const body = multipart(file);
    return caller.call({ ...options, method: 'POST', path, body }, async (answer, { deadline }) => {
      const { id } = ((await readJson(answer, deadline)) ?? {}) as Record<string, unknown>;
      if (typeof id === 'string') return { id };
      throw invalidAnswer('Salesforce did not tell the id of a new file.', answer.status);
    });
  }

  return {
    stream,
    download,
    upload,
    close() {
      for (const body of open) body.destroy(closedError());
    },
  };
}

/** The time runs only while we wait for Salesforce, not while the reader takes his. */
function readableOf(body: Readable, deadline: Deadline): Readable {
  deadline.pause();
  body.on('error', () => {}); // The iterator tells whoever reads.
  const iterator = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
  const readable = new Readable({
    read() {
      deadline.rearm();
      iterator.next().then(
        ({ done, value }) => {
          deadline.pause();
          readable.push(done === true ? null : value);
        },
        (error: unknown) => readable.destroy(failure(error, true, deadline)),
      );
    },
    destroy(error, callback) {
      body.destroy();
      callback(error);
    },
  });
  // It may end before its reader has begun to listen; then the first read tells him.
  readable.on('error', () => {});
  const onEnd = (): Readable => readable.destroy(failure(null, true, deadline));
  deadline.signal.addEventListener('abort', onEnd, { once: true });
  return readable;
}

/**
 * We asked for the bytes as they are: others would be a broken file. A page is no file either, but the word of a gateway with
 * status 200; Salesforce sends files as application/octetstream ("Insert or Update Blob Data", REST API Developer Guide).
 */
function refuseOthers({ headers, body, status }: Answer): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '');
  if (encoding === 'identity' && !isPage) return;
  body.on('error', () => {}).destroy();
  throw invalidAnswer(
    isPage
      ? 'A page came instead of a file, perhaps from a gateway or proxy.'
      : `A file came encoded as ${encoding.slice(0, 40)}.`,
    status,
  );
}

function invalidAnswer(message: string, status: number): SalesforceError {
  return new SalesforceError(message, {
    code: 'invalid_answer',
    kind: 'unavailable',
    outcome: 'unknown',
    status,
  });
}
