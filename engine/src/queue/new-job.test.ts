import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { WEBHOOK_KIND } from '../kinds/dependencies.ts';
import { TEN_YEARS_MS } from '../time/duration.ts';
import { defineJob } from '../kinds/kind.ts';
import { createRegistry } from '../kinds/registry.ts';
import type { JobRequest } from '../request.ts';
import { newJob } from './new-job.ts';

const NOW = Date.UTC(2026, 5, 1);
const kinds = ['report', WEBHOOK_KIND].map((kind) =>
  defineJob({
    kind,
    input: z.object({ month: z.string(), rows: z.number().default(10) }),
    retry: { backoff: 'linear', retries: 2, step: '1s' },
    run: async () => {},
  }),
);
const registry = createRegistry(kinds);

function make(changes: Partial<JobRequest> = {}, now: number | null = NOW) {
  return newJob(registry, { kind: 'report', data: { month: 'May' }, ...changes }, now);
}

function refusal(changes: Partial<JobRequest>, now: number | null = NOW): unknown {
  try {
    return make(changes, now);
  } catch (error) {
    return error;
  }
}

it('says the least that a store needs', () => {
  expect(make()).toEqual({
    kind: 'report',
    payload: '{"month":"May"}',
    maxAttempts: 3,
    tenant: '',
    priority: null,
  });
});

it('keeps everything that was asked for', () => {
  const request = {
    tenant: 'acme',
    priority: -5,
    correlationId: 'c',
    submitter: 's',
    subject: 'p',
    webhook: 'https://a.example',
  };
  expect(make({ ...request, key: 'k', keyWindow: '1h' })).toMatchObject({
    ...request,
    key: { value: 'k', windowMs: 3_600_000 },
  });
  expect(make({ key: 'k' }).key).toEqual({ value: 'k', windowMs: 86_400_000 });
  expect(make({ tenant: '' }).tenant).toBe('');
});

describe('the data', () => {
  it('of an unknown kind is refused with those that people have named', () => {
    expect(refusal({ kind: 'repotr' })).toMatchObject({
      code: 'unknown_kind',
      message: 'There is no kind "repotr". Known kinds: report.',
    });
  });

  it('that does not fit is refused with every place', () => {
    expect(refusal({ data: { month: 5, rows: 'x' } })).toMatchObject({ code: 'invalid_payload' });
    const { message } = refusal({ data: { month: 5, rows: 'x' } }) as Error;
    expect(message).toContain('does not fit the kind "report": month: ');
    expect(message).toContain('; rows: ');
    expect((refusal({ data: 7 }) as Error).message).toContain('data: ');
  });

  it('has to fit as it is read back, too', () => {
    const taking = (at: z.ZodType) => {
      const kind = defineJob({
        kind: 'dated',
        input: z.object({ list: z.array(z.object({ at })) }),
        run: async () => {},
      });
      const data = { list: [{ at: new Date(0) }] };
      return () => newJob(createRegistry([kind]), { kind: 'dated', data }, null).payload;
    };
    expect(taking(z.date())).toThrow(/list\.0\.at: .*expected date.* z\.coerce\.date\(\)/);
    expect(taking(z.coerce.date())()).toBe('{"list":[{"at":"1970-01-01T00:00:00.000Z"}]}');
    expect(taking(z.unknown())()).toBe('{"list":[{"at":"1970-01-01T00:00:00.000Z"}]}');
  });

  it('is kept as it was given: defaults come when it runs', () => {
    expect(make({ data: { month: 'May', note: 1 } }).payload).toBe('{"month":"May","note":1}');
  });
});

describe('the priority', () => {
  it.each([-1_000, 0, 1_000])('%d is possible', (priority) => {
    expect(make({ priority }).priority).toBe(priority);
  });

  it.each([-1_001, 1_001, 0.5, NaN, Infinity])('%d is not', (priority) => {
    expect(refusal({ priority })).toMatchObject({ code: 'invalid_priority' });
  });
});

describe('when', () => {
  it('runAt is a date or a number', () => {
    expect(make({ runAt: NOW + 5 }).due).toEqual({ at: NOW + 5 });
    expect(make({ runAt: new Date(NOW + 5) }).due).toEqual({ at: NOW + 5 });
  });

  it('a minute of the past is the clocks’ difference, more is a mistake', () => {
    expect(make({ runAt: NOW - 60_000 }).due).toEqual({ at: NOW - 60_000 });
    expect(refusal({ runAt: NOW - 60_001 })).toMatchObject({
      code: 'invalid_run_at',
      message: 'runAt lies in the past (2026-05-31T23:58:59.999Z). Leave it out to run at once.',
    });
  });

  it('ten years ahead is far enough', () => {
    expect(make({ runAt: NOW + TEN_YEARS_MS }).due).toEqual({ at: NOW + TEN_YEARS_MS });
    expect(refusal({ runAt: NOW + TEN_YEARS_MS + 1 })).toMatchObject({
      code: 'invalid_run_at',
      message: expect.stringContaining('ten years'),
    });
  });

  it.each([NaN, Infinity, -9e15, 9e15, new Date(NaN)])(
    '%s is no date, whether or not the time is known',
    (runAt) => {
      for (const now of [NOW, null])
        expect(refusal({ runAt }, now)).toMatchObject({
          code: 'invalid_run_at',
          message: 'runAt is not a date.',
        });
    },
  );

  it('a delay is left to the store’s clock', () => {
    expect(make({ delay: '2s' }).due).toEqual({ afterMs: 2_000 });
    expect(make({ delay: 0 })).not.toHaveProperty('due');
    expect(make({ delay: TEN_YEARS_MS }).due).toEqual({ afterMs: TEN_YEARS_MS });
  });

  it.each([-1, TEN_YEARS_MS + 1, Infinity])('a delay of %d is not possible', (delay) => {
    expect(refusal({ delay })).toMatchObject({
      code: 'invalid_run_at',
      message: 'The delay must be between 0 and ten years.',
    });
  });

  it('not both', () => {
    expect(refusal({ delay: '2s', runAt: NOW })).toMatchObject({
      code: 'invalid_run_at',
      message: 'Give either runAt or delay, not both.',
    });
  });
});

describe('the texts beside it', () => {
  it('are texts, whatever JavaScript gives', () => {
    const key = { order: 7 } as unknown as string;
    expect(refusal({ key })).toMatchObject({ code: 'invalid_text' });
    expect(refusal({ key: 7 as unknown as string })).toMatchObject({ code: 'invalid_text' });
    expect(refusal({ tenant: null as unknown as string })).toMatchObject({ code: 'invalid_text' });
  });

  it.each(['tenant', 'key', 'correlationId', 'submitter', 'subject', 'webhook'] as const)(
    '%s',
    (field) => {
      expect(refusal({ [field]: 'a\u0000' })).toMatchObject({ code: 'invalid_text' });
      expect(refusal({ [field]: 'a'.repeat(2_001) })).toMatchObject({ code: 'invalid_text' });
    },
  );

  it.each([-1, Infinity])('a key’s window of %d is not possible', (keyWindow) => {
    expect(refusal({ key: 'k', keyWindow })).toMatchObject({ code: 'invalid_key' });
  });

  it('a webhook that nobody here would call is refused', () => {
    const lonely = createRegistry(kinds.slice(0, 1));
    const request = { kind: 'report', data: { month: 'May' }, webhook: 'https://a.example' };
    expect(() => newJob(lonely, request, NOW)).toThrow(
      expect.objectContaining({ code: 'unknown_kind' }),
    );
  });
});
