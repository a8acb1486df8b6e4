import { execFileSync } from 'node:child_process';
import type { Client } from '@millrace/api';
import { DOCX_TYPE } from '@millrace/documents/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docx, p, table } from '../../../docx/test/builder.ts';
import { need } from '../../../scripts/need.mjs';
import { row, workbook } from '../../../workloads/documents/test/workbook.ts';
import { refusal } from '../../test/harness.ts';
import { type TestServer, startServer } from '../../test/server.ts';

/** Documents over HTTP: the compiled process, Postgres, the real LibreOffice. */

await need('office');
await need('pdf');

const TEMPLATE = docx(
  p('Invoice for {{Account.Name}}') +
    table([['{{#each Items}}{{Name}}', '{{Price}}{{/each}}']]) +
    p('{{#if Paid}}Paid.{{else}}Please pay.{{/if}}'),
);
const DATA = { Account: { Name: 'Acme' }, Items: [{ Name: 'Wheel', Price: 12 }], Paid: true };

let server: TestServer;
let baseUrl: string;
let client: Client;

beforeAll(async () => {
  server = await startServer({});
  ({ baseUrl, client } = server);
  await upload('invoice', TEMPLATE);
}, 180_000);
afterAll(() => server.close(), 60_000);

function upload(name: string, bytes: Buffer) {
  return client.addTemplate({
    params: { id: name },
    upload: { type: DOCX_TYPE, bytes: new Uint8Array(bytes) },
  });
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe('a template', () => {
  test('is kept once, in versions that never change', async () => {
    expect(await upload('letter', TEMPLATE)).toMatchObject({
      created: true,
      template: { name: 'letter', version: 1, createdBy: 'development' },
      lint: { ok: true },
    });
    expect(await upload('letter', TEMPLATE)).toMatchObject({ created: false });
    const other = docx(p('Dear {{Name}}'));
    expect((await upload('letter', other)).template.version).toBe(2);
    const { templates } = await client.listTemplateVersions({ params: { id: 'letter' } });
    expect(templates.map(({ version }) => version)).toEqual([2, 1]);
    expect((await client.listTemplates()).templates.map(({ name }) => name)).toContain('letter');
    const [, first] = templates;
    const kept = await client.downloadTemplate({ params: { id: first?.id ?? '' } });
    expect((await bytesOf(kept)).equals(TEMPLATE)).toBe(true);
    expect(await client.deleteTemplate({ params: { id: 'letter' } })).toMatchObject({
      removed: expect.arrayContaining(templates.map(({ id }) => id)) as string[],
    });
    await refusal(client.getTemplate({ params: { id: 'letter' } }), 'template_not_found');
  });

  test('tells its author which fonts this machine lacks', async () => {
    const font = '<w:rPr><w:rFonts w:ascii="Wingdings Nobody Has"/></w:rPr>';
    const bytes = docx(`<w:p><w:r>${font}<w:t>Hello</w:t></w:r></w:p>`);
    const { lint } = await upload('fonts', bytes);
    expect(lint.missingFonts).toEqual(['Wingdings Nobody Has']);
  });

  test('tells its author what it asks for', async () => {
    const { lint } = await client.getTemplate({ params: { id: 'invoice' } });
    expect(lint.fields.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['Account.Name', 'Items', 'Items[].Name', 'Paid']),
    );
  });

  test.each<[string, Buffer]>([
    ['what is no DOCX', Buffer.from('hello')],
    ['a block without an end', docx(p('{{#if Paid}}'))],
  ])('is refused: %s', async (_, bytes) => {
    await refusal(upload('bad', bytes), 'template_invalid');
    const type = DOCX_TYPE;
    const report = await client.lintTemplate({ upload: { type, bytes: new Uint8Array(bytes) } });
    expect(report.ok).toBe(false);
    expect(report.problems[0]?.message).toMatch(/\.$/);
  });

  test('can be looked at with sample data', async () => {
    const png = await client.previewTemplate({
      params: { id: 'invoice' },
      body: { data: DATA, outputFormat: 'PNG', width: 200 },
    });
    expect(png.headers.get('content-type')).toBe('image/png');
    expect((await bytesOf(png)).subarray(1, 4).toString()).toBe('PNG');
  });

  test('has to come with its own type', async () => {
    const response = await fetch(`${baseUrl}/templates/x`, {
      method: 'POST',
      headers: { 'content-type': 'text/plain' },
      body: 'x',
    });
    expect(response.status).toBe(415);
  });

  test.each(['text/plain', 'application/vnd.ms-excel'])(
    'rows as %s are refused with the types that a batch takes',
    async (type) => {
      const response = await fetch(`${baseUrl}/documents/batch?templateId=invoice`, {
        method: 'POST',
        headers: { 'content-type': type },
        body: 'x',
      });
      expect(response.status).toBe(415);
      expect(await response.json()).toMatchObject({
        code: 'unsupported_media_type',
        detail: `The content-type is ${type}; this takes application/json, application/x-ndjson, text/csv, application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.`,
      });
    },
  );
});

describe('POST /generate', () => {
  const envelope = { templateId: 'invoice', outputFileName: 'Invoice Ü 1', data: DATA };
  const post = (body: object, headers: Record<string, string> = {}) =>
    fetch(`${baseUrl}/generate`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  test('answers with the file, under its name, with its timings', async () => {
    const response = await post(envelope, { 'x-correlation-id': 'click-1' });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/pdf',
      'x-correlation-id': 'click-1',
      'content-disposition': `attachment; filename="Invoice _ 1.pdf"; filename*=UTF-8''Invoice%20%C3%9C%201.pdf`,
      'server-timing': expect.stringMatching(
        /merge;dur=[\d.]+, wait;dur=[\d.]+, convert;dur=/,
      ) as string,
      'content-security-policy': expect.stringContaining('sandbox') as string,
    });
    expect((await bytesOf(response)).subarray(0, 5).toString()).toBe('%PDF-');
  });

  test('answers with where it is, for programs; the same again comes from the cache', async () => {
    const first = await client.generate({ body: envelope });
    const again = await client.generate({ body: envelope });
    expect(again).toMatchObject({ cached: true, file: { sha256: first.file.sha256 } });
    const whole = await bytesOf(await client.downloadFile({ params: { id: first.file.id } }));
    expect(whole).toHaveLength(first.file.size);
    const part = await client.downloadFile(
      { params: { id: first.file.id } },
      { headers: { range: 'bytes=5-14' } },
    );
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 5-14/${first.file.size}`);
    expect((await bytesOf(part)).equals(whole.subarray(5, 15))).toBe(true);
    await refusal(
      client.downloadFile(
        { params: { id: first.file.id } },
        { headers: { range: `bytes=${first.file.size}-` } },
      ),
      'invalid_range',
    );
    await client.deleteFile({ params: { id: again.file.id } });
    await refusal(client.getFile({ params: { id: again.file.id } }), 'file_not_found');
  });

  test('gives the DOCX where that is asked for', async () => {
    const body = { ...envelope, options: { storeMergedDocx: true, returnDocxToBrowser: true } };
    const response = await post(body);
    expect(response.headers.get('content-type')).toBe(DOCX_TYPE);
    expect(await client.generate({ body })).toMatchObject({
      file: { mediaType: 'application/pdf' },
      docx: { mediaType: DOCX_TYPE },
    });
  });

  test('refuses what it cannot do, with a code', async () => {
    const nobody = { ...envelope, templateId: 'nobody' };
    await refusal(client.generate({ body: nobody }), 'template_not_found');
    const zone = { ...envelope, timezone: 'Mars/Olympus' };
    await refusal(client.generate({ body: zone }), 'validation_error');
    const misspelt = { ...envelope, outputFormt: 'PDF' };
    await refusal(client.generate({ body: misspelt }), 'invalid_request');
  });
});

describe('a batch', () => {
  const rows = '{"Account":{"Name":"Ann"}}\nthis is no JSON\n{"Account":{"Name":"Bob"}}\n';

  const over = async ({ jobId }: { jobId: string | null }) => {
    for await (const event of client.events({ query: { id: jobId ?? '', topics: 'job' } }))
      if (event.type === 'job' && event.job.state === 'SUCCEEDED') break;
  };

  test('makes a document for each row, tells which failed, and gives them all in one ZIP', async () => {
    const made = await client.createBatch({
      query: { templateId: 'invoice', outputFileName: 'Invoice {{Account.Name}}' },
      upload: { type: 'application/x-ndjson', bytes: rows },
    });
    expect(made).toMatchObject({ total: 3, counts: { failed: 1 } });
    const id = { params: { id: made.id } };
    await refusal(client.downloadBatch(id), 'batch_not_finished');
    await over(made);
    expect(await client.getBatch(id)).toMatchObject({
      state: 'FINISHED',
      counts: { succeeded: 2, failed: 1 },
    });
    const { items } = await client.listBatchItems({ ...id, query: { state: 'FAILED' } });
    expect(items).toMatchObject([{ item: 2, line: 2, name: null, error: { code: 'invalid_row' } }]);
    const named = await client.listBatchItems({ ...id, query: { state: 'SUCCEEDED' } });
    expect(named.items.map(({ name }) => name)).toContain('Invoice Bob.pdf');
    const zip = await bytesOf(await client.downloadBatch(id));
    expect(zip.toString('latin1')).toContain('Invoice Bob.pdf');
    const middle = await client.downloadBatch(id, { headers: { range: 'bytes=100-199' } });
    expect((await bytesOf(middle)).equals(zip.subarray(100, 200))).toBe(true);
    expect((await client.listBatches()).batches.map((batch) => batch.id)).toContain(made.id);
    await refusal(client.cancelBatch(id), 'batch_finished');
  });

  test('gives them all in one PDF, whole or in part', async () => {
    const made = await client.createBatch({
      query: { templateId: 'invoice', outputFileName: 'Invoice {{Account.Name}}' },
      upload: { type: 'application/x-ndjson', bytes: rows },
    });
    const id = { params: { id: made.id } };
    await refusal(client.downloadMerged(id), 'batch_not_finished');
    await over(made);
    const response = await client.downloadMerged(id);
    expect(response.headers.get('content-type')).toBe('application/pdf');
    expect(response.headers.get('content-disposition')).toContain(`filename="${made.id}.pdf"`);
    const pdf = await bytesOf(response);
    const text = execFileSync('pdftotext', ['-', '-'], { input: pdf, encoding: 'utf8' });
    expect(text.match(/Invoice for \w+/g)).toEqual(['Invoice for Ann', 'Invoice for Bob']);
    const tail = await client.downloadMerged(id, { headers: { range: 'bytes=-6' } });
    expect(tail.status).toBe(206);
    expect(await tail.text()).toBe('%%EOF\n');
    expect(tail.headers.get('etag')).toBe(response.headers.get('etag'));
    const { files } = await client.listFiles({ query: { batchId: made.id } });
    expect(files.map(({ name }) => name)).toContain(`${made.id}.pdf`);
  });

  test('of DOCX files gives no PDF', async () => {
    const made = await client.createBatch({
      query: { templateId: 'invoice', outputFormat: 'DOCX' },
      upload: { type: 'application/json', bytes: '[{}]' },
    });
    await over(made);
    await refusal(client.downloadMerged({ params: { id: made.id } }), 'batch_not_pdf');
  });

  test('of a spreadsheet: previewed, made, and its failed rows corrected', async () => {
    await upload('letter-to', docx(p('{{Name}} owes {{currency Sum "EUR"}}')));
    const type = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
    const cells =
      row(1, 'Name', 'Sum') + row(2, 'Ann', 5) + row(3, 'Bob', 'much') + row(4, 'Eve', 7);
    const bytes = new Uint8Array(workbook({ sheets: { Old: row(1, 'x'), New: cells } }));
    const query = { templateId: 'letter-to', sheet: 'New', outputFormat: 'DOCX' as const };
    const preview = await client.createBatch({
      query: { ...query, preview: 1 },
      upload: { type, bytes },
    });
    expect(preview).toMatchObject({ total: 1, preview: 1, source: { rows: 3, sheet: 'New' } });
    const made = await client.createBatch({ query, upload: { type, bytes } });
    await over(made);
    const id = { params: { id: made.id } };
    const failed = await client.downloadFailed(id);
    expect(failed.headers.get('content-type')).toBe('text/csv');
    const file = (await bytesOf(failed)).toString();
    expect(file).toContain(',Bob,much');
    const fixed = file.replace(',Bob,much', ',Bob,6');
    const sent = await client.correctBatch({ ...id, upload: { type: 'text/csv', bytes: fixed } });
    expect(sent).toEqual({ retried: 1 });
    await over(await client.getBatch(id));
    expect((await client.getBatch(id)).counts).toMatchObject({ succeeded: 3, failed: 0 });
  });

  test('of a spreadsheet with other names: looked at, mapped, made, and corrected under the names of the fields', async () => {
    await upload('letter-of', docx(p('{{Buyer.Name}}, {{Buyer.Phone}}, until {{Until}}')));
    const type = 'text/csv';
    const bytes = 'Customer,Answer by\nAnn,Monday\nBob,\n';
    const read = await client.readRows({ upload: { type, bytes } });
    expect(read).toMatchObject({
      columns: [
        { name: 'Customer', filled: 2 },
        { name: 'Answer by', filled: 1 },
      ],
      total: 2,
    });
    const asked = {
      templateId: 'letter-of',
      strict: 'true',
      columns: JSON.stringify({ Customer: 'Buyer.Name', 'Answer by': 'Until' }),
      same: JSON.stringify({ 'Buyer.Phone': '0911' }),
    } as const;
    const checked = await client.checkRows({ query: asked, upload: { type, bytes } });
    const message = 'The data has no "Until".';
    const problem = { severity: 'error', code: 'missing_field', field: 'Until', message } as const;
    expect(checked).toEqual({
      total: 2,
      ready: 1,
      failing: 1,
      warned: 0,
      fields: [{ path: 'Until', empty: 1, unusable: 0 }],
      rows: [{ row: 2, line: 3, problems: [problem] }],
    });
    const query = { ...asked, outputFormat: 'DOCX' } as const;
    const made = await client.createBatch({ query, upload: { type, bytes } });
    await over(made);
    const id = { params: { id: made.id } };
    expect(await client.getBatch(id)).toMatchObject({
      locale: 'en-US',
      dataLocale: 'en-US',
      counts: { succeeded: 1, failed: 1 },
    });
    const file = (await bytesOf(await client.downloadFailed(id))).toString();
    expect(file).toContain('Buyer.Name,Until,Buyer.Phone');
    expect(file).toContain(',Bob,,0911');
    const fixed = file.replace(',Bob,,0911', ',Bob,Tuesday,0911');
    await client.correctBatch({ ...id, upload: { type, bytes: fixed } });
    await over(await client.getBatch(id));
    expect((await client.getBatch(id)).counts).toMatchObject({ succeeded: 2, failed: 0 });
  });

  test('with names that are no JSON is refused', async () => {
    await refusal(
      client.createBatch({
        query: { templateId: 'invoice', columns: '{"a":' },
        upload: { type: 'text/csv', bytes: 'a\n1\n' },
      }),
      'invalid_request',
    );
  });

  test('whose header does not fit is refused, and the answer comes through a large upload', async () => {
    // More than any buffer on the way holds: the service answers while it is still being sent.
    const bytes = `Accont.Name\n${'Somebody with a name\n'.repeat(1_500_000)}`;
    const query = { templateId: 'invoice' };
    const refused = await client
      .createBatch({ query, upload: { type: 'text/csv', bytes } })
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({
      problem: { code: 'missing_columns', detail: expect.stringContaining('Accont.Name?') },
    });
  });

  test('is refused when nothing in it can be read', async () => {
    const settings = { templateId: 'invoice' };
    const type = 'application/json';
    await refusal(
      client.createBatch({ query: settings, upload: { type, bytes: '{"a":' } }),
      'invalid_rows',
    );
  });
});

test('the office is part of readiness, and documents are measured', async () => {
  const { checks } = await client.readyz();
  expect(checks).toContainEqual(expect.objectContaining({ name: 'office', status: 'ok' }));
  const metrics = await client.metrics();
  expect(metrics).toMatch(/^docgen_duration_seconds_count\{.*mode="interactive".*\} \d+/m);
  expect(metrics).toMatch(/^template_cache_hit_total\{template_id="tpl-1"\} \d+/m);
  expect(metrics).toContain('conversion_pool_active 0');
});
