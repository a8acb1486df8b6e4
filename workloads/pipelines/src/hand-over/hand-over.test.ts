import type { Step, Who } from '@millrace/workload-kit';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MailServer, startMailServer } from '../../test/mail.ts';
import type { PipelineRunRecord } from '../runs/pipeline-run.ts';
import { type Mailer, createMailer } from './email.ts';
import { webhookStep } from './webhook.ts';

const who: Who = { tenant: '', submitter: 'ada', roles: [], claims: {}, correlationId: 'pipe-7' };
const RUN = {
  id: 'pipe-7',
  pipeline: 'monthly',
  plan: { title: 'Monthly' },
  parameters: { month: '2026-01' },
  values: {},
  createdAt: 1_767_225_600_000,
  steps: [
    { step: 'customers', state: 'done', startedId: 'run-3', output: { rows: 5 } },
    { step: 'told', state: 'running', startedId: null, output: null },
  ],
} as unknown as PipelineRunRecord;
const { signal } = new AbortController();
const given = { who, run: RUN, signal };

describe('an e-mail', () => {
  let server: MailServer;
  let mailer: Mailer;
  let content = Buffer.from('a,b\r\n');
  const report = {
    file: async () => ({
      name: 'sent.csv',
      mediaType: 'text/csv',
      async *read() {
        yield content;
      },
    }),
    link: (id: string) => `/reports/${id}`,
  } as unknown as Step;
  beforeAll(async () => {
    server = await startMailServer();
    mailer = createMailer(
      {
        smtpUrl: server.url,
        from: 'Millrace <no-reply@mill.example>',
        publicUrl: 'https://m.example',
      },
      (type) => (type === 'report' ? report : undefined),
    );
  });
  afterEach(() => {
    server.answer = null;
    server.mails.length = 0;
  });
  afterAll(async () => {
    mailer.close();
    await server.close();
  });

  const hand = (input: object) =>
    mailer.step.hand({
      ...given,
      key: 'pipe-7/told',
      input: { to: 'ops@example.com', subject: 'Läuft', text: 'Done.', ...input },
    });
  const sent = () => server.mails.map(({ text }) => text).join('\n');

  test('arrives with its text and files; the same again has the same Message-ID', async () => {
    const attach = [{ step: 'report', id: 'rep-1' }];
    const output = await hand({ to: ['a@example.com', 'b@example.com'], attach });
    expect(output).toEqual({
      accepted: 2,
      rejected: 0,
      messageId: '<pipe-7.told.1767225600000@mill.example>',
    });
    await hand({ attach });
    expect(server.mails.map(({ to }) => to)).toEqual([
      ['a@example.com', 'b@example.com'],
      ['ops@example.com'],
    ]);
    const ids = [...sent().matchAll(/^Message-ID: (.*)\r$/gim)].map(([, id]) => id);
    expect(ids).toEqual([output['messageId'], output['messageId']]);
    expect(sent()).toMatch(/^Auto-Submitted: auto-generated\r$/m);
    expect(sent()).toContain('filename=sent.csv');
    expect(sent()).toContain(content.toString('base64'));
  });

  test('names what is too large by a link', async () => {
    content = Buffer.alloc(5_000_001);
    await hand({ attach: [{ step: 'report', id: 'rep-1' }] });
    expect(sent()).toContain(
      'sent.csv is too large for an e-mail: https://m.example/reports/rep-1',
    );
    expect(sent()).not.toContain('filename=');
    content = Buffer.from('x');
  });

  test.each([
    [450, 'data', 'mail_unavailable', true],
    [451, 'recipient', 'mail_unavailable', true],
    [550, 'recipient', 'mail_refused', false],
    [554, 'data', 'mail_refused', false],
  ] as const)(
    'that is answered with %i to its %s fails as %s',
    async (code, at, failure, retryable) => {
      server.answer = { code, at };
      await expect(hand({})).rejects.toMatchObject({
        name: 'JobFailure',
        code: failure,
        retryable,
      });
      expect(server.mails).toEqual([]);
    },
  );

  test('to somebody and nobody has reached somebody, and says so', async () => {
    expect(await hand({ to: ['a@example.com', 'nobody@example.com'] })).toMatchObject({
      accepted: 1,
      rejected: 1,
    });
  });

  test('without a server is tried again; with a wrong password it is not', async () => {
    const other = (smtpUrl: string) =>
      createMailer({ smtpUrl, from: 'a@b.example', publicUrl: '' }, () => undefined).step.hand({
        ...given,
        key: 'k',
        input: { to: 'x@example.com', subject: 's', text: 't' },
      });
    await expect(other('smtp://127.0.0.1:1')).rejects.toMatchObject({ code: 'mail_unavailable' });
    const wrong = server.url.replace('secret', 'guess');
    await expect(other(wrong)).rejects.toMatchObject({ code: 'mail_refused', retryable: false });
  });

  test.each([
    { to: 'x' },
    { to: 'a@example.com\r\nBcc: b@example.com' },
    { subject: 'a\nBcc: b@example.com' },
    { text: '' },
    { html: '<b>' },
    { to: [] },
  ])('%j is refused when the file is read', (input) => {
    const whole = { to: 'a@example.com', subject: 's', text: 't', ...input };
    expect(mailer.step.input.safeParse(whole).success).toBe(false);
  });
});

describe('a webhook', () => {
  test('tells the run so far, or what the file says, under an id that stays', async () => {
    const told: unknown[] = [];
    const step = webhookStep(async (delivery) => {
      told.push(delivery);
      return { status: 202 };
    });
    const url = 'https://example.com/hook';
    const hand = (input: object) => step.hand({ ...given, key: 'pipe-7/told', input });
    expect(await hand({ url })).toEqual({ status: 202 });
    await hand({ url, body: { done: true } });
    expect(told).toMatchObject([
      {
        url,
        id: 'pipe-7/told',
        correlationId: 'pipe-7',
        body: {
          type: 'pipeline',
          pipeline: 'monthly',
          run: 'pipe-7',
          parameters: { month: '2026-01' },
          steps: { customers: { state: 'done', id: 'run-3', rows: 5 } },
        },
      },
      { id: 'pipe-7/told', body: { done: true } },
    ]);
    expect(step.literal).toEqual(['url']);
  });
});
