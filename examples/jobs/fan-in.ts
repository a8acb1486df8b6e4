import { type Job, type JobContext, defineJob, defineRule, done } from '@millrace/engine';
import { z } from 'zod';

/**
 * One job begins two, and a fourth follows once both have succeeded, whichever is last:
 *
 *     offer ─┬─► look-up-price ─┬─► write-offer
 *            └─► look-up-stock ─┘
 *
 * The children are written together with the end of `offer`, and `write-offer` with the end of the last of the two: there is no
 * moment in which a crash could lose one of them or make it twice.
 */
const input = z.object({ article: z.string() });

export const offer = defineJob({
  kind: 'offer',
  input,
  public: true,
  async run({ data }, { enqueue }) {
    enqueue({ kind: 'look-up-price', data });
    enqueue({ kind: 'look-up-stock', data });
    return done();
  },
});

export const lookUpPrice = defineJob({
  kind: 'look-up-price',
  input,
  run: async ({ data }) => done(10 * data.article.length),
});

export const lookUpStock = defineJob({
  kind: 'look-up-stock',
  input,
  run: async ({ data }) => done(data.article.length),
});

export const whenBothAreKnown = defineRule({
  name: 'write-offer-when-both-are-known',
  parents: ['look-up-price', 'look-up-stock'],
  // Which price belongs to which stock: what one `offer` has begun shares its correlation id.
  match: ({ correlationId }) => correlationId,
  child: 'write-offer',
  data: ({ data }) => data,
});

export const writeOffer = defineJob({
  kind: 'write-offer',
  input,
  async run({ data, parents }, { get }) {
    const price = await resultOf(get, parents['look-up-price']);
    const stock = await resultOf(get, parents['look-up-stock']);
    return done(`${data.article}: ${price} euros, ${stock} in stock`);
  },
});

async function resultOf(get: JobContext['get'], id: Job['id'] = ''): Promise<number> {
  const parent = await get(id);
  return z.number().parse(JSON.parse(parent?.result ?? 'null'));
}
