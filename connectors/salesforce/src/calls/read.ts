import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import type { Answer } from '@millrace/http';
import { peer } from '../errors.ts';

const unzip = promisify(gunzip);

/** A page of 2,000 rows with long texts takes tens of megabytes. */
const LARGEST_JSON = 64 * 1024 * 1024;

/** Null for an empty body. */
export async function readJson(answer: Answer): Promise<unknown> {
  const text = await readText(answer);
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    const type = answer.headers['content-type']?.slice(0, 80) ?? 'no content type';
    throw peer.invalidAnswer(
      `Salesforce answered ${answer.status} with what is not whole JSON (${type}, ${text.length} characters).`,
      answer.status,
    );
  }
}

/** For an answer that is an error already: whatever can be read of it, without another error. */
export async function readErrorBody(answer: Answer): Promise<unknown> {
  try {
    return JSON.parse(await readText(answer));
  } catch {
    return null;
  }
}

async function readText(answer: Answer): Promise<string> {
  if (answer.headers['content-encoding'] !== 'gzip') return answer.text(LARGEST_JSON);
  const bytes = await answer.bytes(LARGEST_JSON);
  try {
    return (await unzip(bytes, { maxOutputLength: LARGEST_JSON })).toString('utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw peer.tooLarge(LARGEST_JSON);
    throw peer.invalidAnswer(
      'Salesforce answered with gzip that cannot be unpacked.',
      answer.status,
    );
  }
}
