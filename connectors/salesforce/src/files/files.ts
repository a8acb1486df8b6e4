import type { Readable } from 'node:stream';
import type { Answer } from '@millrace/http';
import type { Caller } from '../calls/call.ts';
import { readJson } from '../calls/read.ts';
import { peer } from '../errors.ts';
import type { CallOptions, FileStream, Salesforce, UploadFile } from '../types.ts';
import { multipart } from './multipart.ts';

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
    const call = { ...options, method: 'GET', path, headers: AS_IS, isFile: true } as const;
    return caller.call(call, async (answer, { deadline }) => {
      refuseOthers(answer);
      const { headers, body } = answer;
      deadline.pause(); // until somebody reads
      open.add(body);
      body.once('close', () => open.delete(body));
      const length = headers['content-length'];
      return { headers, size: length === undefined ? null : Number(length), body };
    });
  }

  async function download(
    path: string,
    options: CallOptions & { readonly most?: number } = {},
  ): Promise<Uint8Array> {
    const { most = LARGEST_DOWNLOAD, ...more } = options;
    const call = { ...more, method: 'GET', path, headers: AS_IS, isFile: true } as const;
    return caller.call(call, async (answer) => {
      refuseOthers(answer);
      return answer.bytes(most);
    });
  }

  async function upload(file: UploadFile, options: CallOptions = {}): Promise<{ id: string }> {
    const path = 'sobjects/ContentVersion';
    const call = { ...options, method: 'POST', path, body: multipart(file), isFile: true } as const;
    return caller.call(call, async (answer) => {
      const { id } = ((await readJson(answer)) ?? {}) as Record<string, unknown>;
      if (typeof id === 'string') return { id };
      throw peer.invalidAnswer('Salesforce did not give the id of a new file.', answer.status);
    });
  }

  return {
    stream,
    download,
    upload,
    close() {
      for (const body of open) body.destroy(peer.closed());
    },
  };
}

/**
 * We asked for the bytes as they are: others would be a broken file. A page is no file either, but the word of a gateway with
 * status 200; Salesforce sends files as application/octetstream ("Insert or Update Blob Data", REST API Developer Guide).
 */
function refuseOthers({ headers, status }: Answer): void {
  const encoding = headers['content-encoding'] ?? 'identity';
  const isPage = /^text\/html\b/i.test(headers['content-type'] ?? '');
  if (encoding === 'identity' && !isPage) return;
  throw peer.invalidAnswer(
    isPage
      ? 'A page came instead of a file, perhaps from a gateway or proxy.'
      : `A file came encoded as ${encoding.slice(0, 40)}.`,
    status,
  );
}
