import type { Readable } from 'node:stream';
import { MOST_VALUES, type Place, createRoom, jsonSize } from '@millrace/workload-kit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null: nothing here reads the body. */
    place: Place | null;
  }
}

/** No more than the headers of any request may have, so it is not counted: small requests find room however much is worked on. */
const UNCOUNTED = 16 * 1024;
/** Bodies of the largest size, side by side: 40 MB of text of one caller with the default, 60 MB of all. */
const AT_ONCE = { ofCaller: 4, all: 6 } as const;

export interface JsonBodies {
  /** Lets the body of this request be read, and counts it until the answer has gone out. */
  admit(request: FastifyRequest, reply: FastifyReply): void;
}

/**
 * JSON and nothing else: a page of another site can send any text without asking first, but not `application/json`. A text of
 * 10 MB becomes objects of several times that, so the bytes that have arrived are counted over all routes. A body that is on its way counts
 * as much as has come of it.
 */
export function takeJsonOnly(app: FastifyInstance, largest: number): JsonBodies {
  const room = createRoom({ all: AT_ONCE.all * largest, ofCaller: AT_ONCE.ofCaller * largest });
  const parse = app.getDefaultJsonParser('error', 'error');
  app.decorateRequest('place', null);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, body: Readable) => {
    if (request.place === null) return undefined;
    const text = await received(body, {
      place: request.place,
      limit: request.routeOptions.bodyLimit,
      announced: Number(request.headers['content-length'] ?? 0),
    });
    // Tools send the content type with an empty body too, where a route takes none.
    if (text === '') return undefined;
    refuseTooMuch(text);
    return new Promise((resolve, reject) => {
      void parse(request, text, (error, value: unknown) => {
        if (error === null) resolve(value);
        else reject(isJson(text) ? hasForbiddenMember() : error);
      });
    });
  });
  return {
    admit(request, reply) {
      const place = room.enter(request.caller?.subject ?? request.ip);
      request.place = place;
      reply.raw.once('close', () => place.leave());
    },
  };
}

/** Gathered in one buffer: a body in chunks of one byte each would take a hundred times as much as objects. */
function received(
  body: Readable,
  { place, limit, announced }: { place: Place; limit: number; announced: number },
): Promise<string> {
  return new Promise((resolve, reject) => {
    let kept = Buffer.alloc(0);
    let size = 0;
    body.on('data', onData).once('end', onEnd).once('error', onError);

    function onData(chunk: Buffer): void {
      const counted = Math.max(0, size + chunk.length - UNCOUNTED) - Math.max(0, size - UNCOUNTED);
      if (size + chunk.length > limit) return refuse(tooLarge(limit));
      if (counted > 0 && place.take(counted) !== null) return refuse(tooMany());
      if (size + chunk.length > kept.length) {
        const larger = Buffer.allocUnsafe(Math.max(2 * kept.length, size + chunk.length));
        kept.copy(larger, 0, 0, size);
        kept = larger;
      }
      chunk.copy(kept, size);
      size += chunk.length;
    }
    function onEnd(): void {
      resolve(kept.toString('utf8', 0, size));
    }
    function onError(): void {
      refuse(new Refusal('invalid_request', 'The body ended before all of it had come.'));
    }
    function refuse(refusal: Refusal): void {
      body.off('data', onData).off('end', onEnd);
      reject(refusal);
    }
    if (announced > limit) refuse(tooLarge(limit));
  });
}

function tooLarge(limit: number): Refusal {
  return new Refusal('too_large', `The body has more than ${limit} bytes.`);
}

function tooMany(): Refusal {
  return new Refusal(
    'too_many_large',
    'Other large requests are in progress. Try again in a few seconds.',
  );
}

/** The parser refuses these names with the sentence for what is no JSON at all. */
function hasForbiddenMember(): Refusal {
  return new Refusal(
    'invalid_request',
    'The body has a member "__proto__", or a "constructor" with a "prototype" in it, which could pollute prototypes. Rename it.',
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** JSON.parse reads what is nested as deep as it likes; JSON.stringify ends the stack at some thousand levels. */
const DEEPEST_BODY = 1_000;

function refuseTooMuch(text: string): void {
  const { depth, values } = jsonSize(text);
  if (values > MOST_VALUES)
    throw new Refusal(
      'too_large',
      `The body has more than ${MOST_VALUES / 1_000} thousand values. Split it.`,
    );
  if (depth > DEEPEST_BODY)
    throw new Refusal(
      'invalid_request',
      `The body is nested more than ${DEEPEST_BODY} levels deep. Make it flatter.`,
    );
}
