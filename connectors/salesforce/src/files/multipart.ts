import { randomBytes } from 'node:crypto';
import type { Outgoing } from '../calls/call.ts';
import type { Deadline } from '../calls/deadline.ts';
import { SalesforceError } from '../errors.ts';
import type { UploadFile } from '../types.ts';

const PIECE = 256 * 1024;

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

  async function* whole(deadline: Deadline): AsyncGenerator<Uint8Array> {
    opened = true;
    yield head;
    for await (const chunk of exactly(file)) {
      deadline.rearm();
      yield chunk;
    }
    deadline.rearm();
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
    throw badFile('file_unreadable', 'The file could not be read to its end.');
  }
  if (sent === file.size) return;
  throw badFile('invalid_file', `The file has not the ${file.size} bytes it was said to have.`);
}

async function* sourceOf({ body }: UploadFile): AsyncGenerator<Uint8Array> {
  if (!(body instanceof Uint8Array)) {
    yield* typeof body === 'function' ? body() : body;
    return;
  }
  // In pieces, so that a slow line is seen to move.
  for (let start = 0; start < body.length; start += PIECE) {
    yield body.subarray(start, start + PIECE);
  }
}

function badFile(code: string, message: string): SalesforceError {
  return new SalesforceError(message, { code, kind: 'data', outcome: 'notSent' });
}

/** PathOnClient has the true name; this one must only not break out of its quotes. */
function plainName(name: string): string {
  return name.replaceAll(/[^\w .()-]/g, '_').slice(-200) || 'file';
}
