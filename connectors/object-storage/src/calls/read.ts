import type { Answer } from '@millrace/http';
import { ObjectStorageError, invalidAnswer } from '../errors.ts';
import { type Xml, parseXml } from '../xml/parse.ts';
import { refusal } from './classify.ts';

/** A page of 1,000 keys of 1,024 bytes, each byte written as %XX, is 4 MB. */
const LARGEST_LIST = 8 * 1024 * 1024;
/** A refused signature brings the whole request along, in hexadecimal. */
const LARGEST_ERROR = 64 * 1024;

/** The root of an answer, which must have this name. An `Error` with the status 200 is an error as any other. */
export async function readXml(
  answer: Answer,
  name: string,
  context: { readonly now: number },
): Promise<Xml> {
  const text = await textOf(answer);
  const parsed = parseXml(text);
  if (parsed?.name === name) return parsed.root;
  if (parsed?.name === 'Error') throw refusal(answer, parsed.root, context.now);
  throw invalidAnswer(
    `The object storage answered ${answer.status} with what is no ${name} (${text.length} characters). Is the endpoint right?`,
    answer.status,
  );
}

/** The error of an answer that is none of 200 to 299, as far as it can be read. */
export async function readRefusal(
  answer: Answer,
  context: { readonly now: number },
): Promise<ObjectStorageError> {
  let text = '';
  try {
    text = await answer.text(LARGEST_ERROR);
  } catch {
    // The status alone says enough.
  }
  const parsed = parseXml(text);
  return refusal(answer, parsed?.name === 'Error' ? parsed.root : '', context.now);
}

/** What is larger is none of a storage's own, and the next one may be. */
async function textOf(answer: Answer): Promise<string> {
  try {
    return await answer.text(LARGEST_LIST);
  } catch (error) {
    const isTooLarge = error instanceof ObjectStorageError && error.code === 'answer_too_large';
    throw isTooLarge ? invalidAnswer(error.message, answer.status) : error;
  }
}

/** What is of no interest, so that the connection can be used again. */
export async function skip(answer: Answer): Promise<void> {
  await answer.bytes(LARGEST_ERROR);
}
