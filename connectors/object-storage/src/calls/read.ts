import { ObjectStorageError, invalidAnswer } from '../errors.ts';
import { type Xml, parseXml } from '../xml/parse.ts';
import { refusal } from './classify.ts';
import type { Deadline } from './deadline.ts';
import { type Answer, failure } from './wire.ts';

/** A page of 1,000 keys of 1,024 bytes, each byte written as %XX, is 4 MB. */
const LARGEST_LIST = 8 * 1024 * 1024;
/** A refused signature brings the whole request along, in hexadecimal. */
const LARGEST_ERROR = 64 * 1024;

/** The root of an answer, which must have this name. An `Error` with the status 200 is an error as any other. */
export async function readXml(
  answer: Answer,
  name: string,
  context: { readonly deadline: Deadline; readonly now: number },
): Promise<Xml> {
  const text = await readText(answer, LARGEST_LIST, context.deadline);
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
  context: { readonly deadline: Deadline; readonly now: number },
): Promise<ObjectStorageError> {
  let text = '';
  try {
    text = await readText(answer, LARGEST_ERROR, context.deadline);
  } catch {
    // The status alone says enough.
  }
  const parsed = parseXml(text);
  return refusal(answer, parsed?.name === 'Error' ? parsed.root : '', context.now);
}

async function readText(answer: Answer, most: number, deadline: Deadline): Promise<string> {
  const { body } = answer;
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > most)
        throw invalidAnswer(`The answer of the object storage is larger than ${most} bytes.`);
      chunks.push(chunk);
      deadline.rearm();
    }
  } catch (error) {
    body.on('error', () => {}).destroy();
    throw failure(error, true, deadline);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** What is of no interest, so that the connection can be used again. */
export async function skip(answer: Answer, deadline: Deadline): Promise<void> {
  await readText(answer, LARGEST_ERROR, deadline);
}
