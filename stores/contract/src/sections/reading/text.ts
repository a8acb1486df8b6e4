import { expect } from 'vitest';
import { OUTCOMES, addOne, claimOne, keptBy, newJob, only, settle, start } from '../../build.ts';
import type { Section } from '../../harness.ts';
import { listAll, read, value } from '../../observe.ts';

/** That a careless store would garble. */
export const TEXTS = [
  'Zoë Müller, 東京, Αθήνα, עברית, العربية',
  '👩‍👩‍👧‍👦 e\u0301 \u{10ffff} \uffff \ufeff',
  `it's "quoted" \\ back\\slash %s $1 {a,b} NULL; drop table jobs --`,
  'line\nbreak\ttab\r\u0001\u001f\u007f\u2028\u2029',
  ' spaces before and after ',
];

export const text: Section = {
  title: 'text comes back as it was',
  checks(check) {
    check('in payload, result and error', async ({ store }) => {
      for (const each of TEXTS) {
        const data = { text: each, [each]: [each, { deep: each }] };
        const job = await start(store, { payload: JSON.stringify(data) });
        expect(value(job.payload)).toEqual(data);
        const error = { code: 'odd', message: each, retryable: true };
        await settle(store, job, { ...OUTCOMES.retry, error });
        expect((await read(store, job.id)).error).toEqual(error);
        await settle(store, await claimOne(store), {
          move: 'succeed',
          result: JSON.stringify(data),
          purgePayload: false,
          effects: [],
        });
        expect(value((await read(store, job.id)).result)).toEqual(data);
      }
    });

    check(
      'in names: kind, tenant, key, ids of others',
      async ({ store }) => {
        for (const each of TEXTS) {
          const names = { kind: each, tenant: each, correlationId: each, submitter: each };
          const more = { subject: each, webhook: each, parents: { [each]: each }, schedule: each };
          const asked = newJob({
            ...names,
            ...more,
            traceparent: each,
            key: { value: each, windowMs: 60_000 },
          });
          const { traceparent, key, payload: _payload, ...kept } = keptBy(store, asked);
          const id = await addOne(store, asked);
          expect(await read(store, id)).toMatchObject({ ...kept, key: key?.value });
          const filter = { kind: each, tenant: kept.tenant, key: each };
          expect(only(await listAll(store, filter)).id).toBe(id);
          const job = await claimOne(store, { wants: [{ kind: each, limit: 1 }], worker: each });
          expect(job).toMatchObject({ kind: each, tenant: kept.tenant, correlationId: each });
          expect(job).toMatchObject({ submitter: each, traceparent });
          expect((await read(store, id)).worker).toBe(each);
        }
      },
      ['anyNames'],
    );

    check('and so do JSON values of every sort', async ({ store, harness }) => {
      const values = [
        'null',
        'true',
        '0',
        '-1.5',
        '1e-7',
        '9007199254740991',
        '""',
        '[]',
        '{}',
        '[[[[]]],{"":{"__proto__":[1,null]}}]',
        JSON.stringify('x'.repeat(harness.limits?.longestText ?? 300_000)),
      ];
      for (const each of values) {
        const job = await start(store, { payload: each });
        expect(value(job.payload)).toEqual(JSON.parse(each));
        await settle(store, job, {
          move: 'succeed',
          result: each,
          purgePayload: false,
          effects: [],
        });
        expect(value((await read(store, job.id)).result)).toEqual(JSON.parse(each));
      }
    });
  },
};
