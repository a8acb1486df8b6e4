import { randomBytes } from 'node:crypto';
import type { Outgoing } from '../calls/call.ts';
import { peer } from '../errors.ts';
import type { UploadFile } from '../types.ts';

/** A ContentVersion as JSON, then its file. The length is known, so it goes out in pieces and is never held whole. */
export function multipart(file: UploadFile): Outgoing {
  const boundary = `millrace-${randomBytes(12).toString('hex')}`;
  const record = {
    PathOnClient: file.name,
    ...(file.title !== undefined && { Title: file.title }),
    ...file.fields,
  };
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="entity_content"\r\nContent-Type: application/json\r\n\r\n${JSON.stringify(record)}\r\n` +
      `--${boundary}\r\nContent-Disposition: form-data; name="VersionData"; filename="${plainName(file.name)}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
  );
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
  const canReopen = file.body instanceof Uint8Array || typeof file.body === 'function';
  let opened = false;

  async function* whole(): AsyncGenerator<Uint8Array> {
    opened = true;
    yield head;
    yield* exactly(file);
    yield tail;
  }

  return {
    type: `multipart/form-data; boundary=${boundary}`,
    length: head.length + file.size + tail.length,
    open: whole,
    canOpen: () => canReopen || !opened,
  };
}

/** `size` bytes and no other number. A body that ends early is never whole for Salesforce, so nothing is stored. */
async function* exactly(file: UploadFile): AsyncGenerator<Uint8Array> {
  let sent = 0;
  try {
    for await (const chunk of sourceOf(file)) {
      sent += chunk.length;
      if (sent > file.size) break;
      yield chunk;
    }
  } catch {
    throw peer.invalid('file_unreadable', 'The file could not be read to its end.');
  }
  if (sent === file.size) return;
  throw peer.invalid(
    'invalid_file',
    `The file has not the ${file.size} bytes it was said to have.`,
  );
}

function sourceOf({ body }: UploadFile): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) return [body];
  return typeof body === 'function' ? body() : body;
}

/** PathOnClient has the true name; this one must only not break out of its quotes. */
function plainName(name: string): string {
  return name.replaceAll(/[^\w .()-]/g, '_').slice(-200) || 'file';
}
