import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Deadline } from './deadline.ts';
import { SalesforceError } from '../errors.ts';
import { type Answer, failure } from './wire.ts';

const unzip = promisify(gunzip);

/** A page of 2,000 rows with long texts takes tens of megabytes. */
const LARGEST_JSON = 64 * 1024 * 1024;

/** The whole body, or an error once it grows past `most`. */
export async function readBytes(
  body: Readable,
  most: number,
  deadline: Deadline,
  onChunk: () => void = () => {},
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most) throw tooLarge(most);
      chunks.push(chunk);
      onChunk();
    }
  } catch (error) {
    throw failure(error, true, deadline);
  }
  return Buffer.concat(chunks);
}

/** Null for an empty body. */
export async function readJson(answer: Answer, deadline: Deadline): Promise<unknown> {
  const text = await readText(answer, deadline);
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    const type = answer.headers['content-type']?.slice(0, 80) ?? 'no content type';
    throw new SalesforceError(
      `Salesforce answered ${answer.status} with what is not whole JSON (${type}, ${text.length} characters).`,
      { code: 'invalid_answer', kind: 'unavailable', outcome: 'unknown', status: answer.status },
    );
  }
}

/** For an answer that is an error already: whatever can be read of it, without another error. */
export async function readErrorBody(answer: Answer, deadline: Deadline): Promise<unknown> {
  try {
    return JSON.parse(await readText(answer, deadline));
  } catch {
    return null;
  }
}

async function readText(answer: Answer, deadline: Deadline): Promise<string> {
  const bytes = await readBytes(answer.body, LARGEST_JSON, deadline);
  if (answer.headers['content-encoding'] !== 'gzip') return bytes.toString('utf8');
  try {
    return (await unzip(bytes, { maxOutputLength: LARGEST_JSON })).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw tooLarge(LARGEST_JSON);
    throw new SalesforceError('Salesforce answered with gzip that cannot be unpacked.', {
      code: 'invalid_answer',
      kind: 'unavailable',
      outcome: 'unknown',
      status: answer.status,
    });
  }
}

function tooLarge(most: number): SalesforceError {
  return new SalesforceError(`The answer is larger than ${most} bytes.`, {
    code: 'answer_too_large',
    kind: 'data',
    outcome: 'unknown',
  });
}
