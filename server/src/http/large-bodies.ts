import type { FastifyReply, FastifyRequest } from 'fastify';
import { Refusal } from './refusal.ts';

/**
 * Bodies of more than a few megabytes, on the routes that take them. A JSON text of 10 MB becomes objects of several times that, so only so
 * many bytes of them are in the process at the same time: the next one is asked to come again.
 */
export interface LargeBodies {
  /** Of one body. */
  readonly limit: number;
  /** Counts the request until its answer has gone out. Throws `too_many_large`. */
  admit(request: FastifyRequest, reply: FastifyReply): void;
}

/** Whole bodies of the largest size, side by side: 40 MB of text with the default. */
const AT_ONCE = 4;
/** What any route takes is not counted. */
const SMALL = 2 * 1024 * 1024;

export function createLargeBodies(limit: number): LargeBodies {
  let held = 0;
  return {
    limit,
    admit(request, reply) {
      // One that does not say how long it is may be as long as any.
      const said = Number(request.headers['content-length'] ?? limit);
      const size = Number.isFinite(said) ? Math.min(said, limit) : limit;
      if (size <= SMALL) return;
      if (held + size > AT_ONCE * limit)
        throw new Refusal(
          'too_many_large',
          'Other large requests are in progress. Try again in a few seconds.',
        );
      held += size;
      reply.raw.once('close', () => {
        held -= size;
      });
    },
  };
}
