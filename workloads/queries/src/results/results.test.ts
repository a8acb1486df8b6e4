import { MarketingCloudError, type RowPage } from '@millrace/marketing-cloud';
import { describe, expect, test } from 'vitest';
import { isoDate } from './dates.ts';
import type { QueryRunRecord } from '../runs/query-run.ts';
import { type Rowset, resultFile, resultPage } from './results.ts';

const RUN = {
  id: 'run-7',
  tenant: '',
  submitter: 'ada@example.com',
  mid: '100001',
  eid: null,
  sqlText: 'SELECT …',
  snippetName: null,
  state: 'SUCCEEDED',
  mceStatus: 'Complete',
  taskId: 't',
  queryDefinitionId: 'q',
  queryCustomerKey: 'k',
  targetDeName: 'millrace-a-7',
  columns: [
    { name: 'Email', type: 'text' },
    { name: 'Opens', type: 'number' },
    { name: 'Share', type: 'decimal' },
    { name: 'Active', type: 'boolean' },
    { name: 'Last', type: 'date' },
  ],
  rowCount: 3,
  pollCount: 1,
  apiCalls: 5,
  waitsFor: null,
  error: null,
  trouble: null,
  createdAt: 0,
  startedAt: 0,
  finishedAt: 1_000,
  resultsExpireAt: 10_000,
  readAt: 2_000,
  targetGoneAt: null,
} as unknown as QueryRunRecord;

const row = (email: string) => ({
  email,
  opens: '12',
  share: '0.10',
  active: 'True',
  last: '1/31/2026 9:30:00 PM',
});

/** Rows by pages, as Marketing Cloud gives them. `break`: what a page throws, by its number. */
function rowsetOf(emails: readonly string[], breaks: Readonly<Record<number, Error>> = {}) {
  const asked: string[] = [];
  const pageOf = (page: number, pageSize: number): RowPage => {
    const failure = breaks[page];
    if (failure !== undefined) throw failure;
    const rows = emails.slice((page - 1) * pageSize, page * pageSize).map(row);
    const next = page * pageSize < emails.length ? `${page + 1}.${pageSize}` : null;
    return { count: emails.length, page, pageSize, rows, next };
  };
  const rowset: Rowset = {
    async rows(key, { page = 1, pageSize }) {
      asked.push(`${key} ${page} of ${pageSize}`);
      return pageOf(page, pageSize);
    },
    async rowsAfter(next) {
      asked.push(`after ${next}`);
      const [page = '', size = ''] = next.split('.');
      return pageOf(Number(page), Number(size));
    },
  };
  return { rowset, asked };
}

const OPTIONS = { correlationId: 'c' };
const away = new MarketingCloudError('It is away.', {
  code: 'x',
  kind: 'unavailable',
  outcome: 'unknown',
});
const gone = new MarketingCloudError('Not Found', {
  code: '404',
  kind: 'notFound',
  outcome: 'refused',
});

async function bytesOf(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

describe('a page', () => {
  test('has typed rows in the names of the SELECT list, and the cursor of the next', async () => {
    const { rowset, asked } = rowsetOf(['a', 'b', 'c']);
    const first = await resultPage(RUN, rowset, { ...OPTIONS, limit: 2 });
    expect(first).toMatchObject({
      rowCount: 3,
      rows: [
        { Email: 'a', Opens: 12, Share: '0.10', Active: true, Last: '2026-01-31T21:30:00' },
        { Email: 'b' },
      ],
    });
    const cursor = first.next ?? '';
    // The cursor keeps the size of the first page.
    const last = await resultPage(RUN, rowset, { ...OPTIONS, limit: 100, cursor });
    expect(last).toMatchObject({ rows: [{ Email: 'c' }], next: null });
    expect(asked).toEqual(['millrace-a-7 1 of 2', 'millrace-a-7 2 of 2']);
  });

  test('is counted in the pages that Marketing Cloud gives, where they are smaller', async () => {
    const { rowset } = rowsetOf(['a', 'b', 'c', 'd', 'e']);
    const small: Rowset = {
      ...rowset,
      rows: (key, options) => rowset.rows(key, { ...options, pageSize: 2 }),
    };
    const emails: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await resultPage(RUN, small, { ...OPTIONS, limit: 3, cursor });
      emails.push(...page.rows.map(({ Email }) => Email));
      cursor = page.next ?? undefined;
    } while (cursor !== undefined);
    expect(emails).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  test('that changes in size on the way is refused', async () => {
    const { rowset } = rowsetOf(['a', 'b', 'c', 'd', 'e']);
    const { next } = await resultPage(RUN, rowset, { ...OPTIONS, limit: 3 });
    const small: Rowset = {
      ...rowset,
      rows: (key, options) => rowset.rows(key, { ...options, pageSize: 1 }),
    };
    await expect(
      resultPage(RUN, small, { ...OPTIONS, limit: 3, cursor: next ?? '' }),
    ).rejects.toMatchObject({ code: 'results_changed' });
  });

  test('has nothing of what every object has', async () => {
    const { rowset } = rowsetOf(['a', 'b', 'c']);
    const columns = [{ name: 'constructor', type: 'text' } as const];
    const page = await resultPage({ ...RUN, columns }, rowset, { ...OPTIONS, limit: 1 });
    expect(page.rows).toEqual([{ constructor: null }]);
  });

  test('of a run that counted none looks again: rows may be visible only later', async () => {
    const none = { ...RUN, rowCount: 0 };
    const asked = { ...OPTIONS, limit: 2 };
    const page = await resultPage(none, rowsetOf([]).rowset, asked);
    expect(page).toMatchObject({ columns: RUN.columns, rows: [], rowCount: 0, next: null });
    const late = await resultPage(none, rowsetOf(['a']).rowset, asked);
    expect(late).toMatchObject({ rows: [{ Email: 'a' }], rowCount: 1 });
  });

  test('of an older run, whose columns nobody wrote down, has them as text', async () => {
    const { rowset } = rowsetOf(['a']);
    const page = await resultPage({ ...RUN, columns: null, rowCount: 1 }, rowset, {
      ...OPTIONS,
      limit: 2,
    });
    expect(page.rows).toEqual([row('a')]);
  });

  test.each(['', 'x', 'MQ', Buffer.from('1.9999').toString('base64url')])(
    'refuses the cursor %j',
    async (cursor) => {
      const { rowset } = rowsetOf(['a']);
      await expect(resultPage(RUN, rowset, { ...OPTIONS, limit: 2, cursor })).rejects.toMatchObject(
        { code: 'invalid_cursor' },
      );
    },
  );
});

describe('a run without rows to give says why', () => {
  test.each<[string, Partial<QueryRunRecord>, string, string]>([
    ['queued', { state: 'QUEUED', mceStatus: null }, 'run_not_ready', 'is queued.'],
    [
      'running',
      { state: 'PROCESSING', mceStatus: 'Processing' },
      'run_not_ready',
      'is running (Marketing Cloud says: Processing).',
    ],
    [
      'failed',
      { state: 'FAILED', error: { code: 'query_failed', message: 'No such field.' } },
      'run_not_successful',
      'failed: No such field.',
    ],
    ['canceled', { state: 'CANCELED' }, 'run_not_successful', 'was cancelled'],
    ['expired', { readAt: 10_000 }, 'results_expired', 'no longer kept'],
    ['swept', { targetGoneAt: 1 }, 'results_expired', 'no longer kept'],
  ])('%s', async (_, changes, code, sentence) => {
    const { rowset, asked } = rowsetOf(['a']);
    const run = { ...RUN, ...changes };
    const refusal = { code, message: expect.stringContaining(sentence) as string };
    await expect(resultPage(run, rowset, { ...OPTIONS, limit: 2 })).rejects.toMatchObject(refusal);
    await expect(resultFile(run, rowset, 'csv', OPTIONS)).rejects.toMatchObject(refusal);
    expect(asked).toEqual([]);
  });

  test('a data extension that somebody removed, and a cloud that is away, are told apart', async () => {
    const removed = rowsetOf(['a'], { 1: gone });
    await expect(resultFile(RUN, removed.rowset, 'csv', OPTIONS)).rejects.toMatchObject({
      code: 'results_expired',
    });
    const silent = rowsetOf(['a'], { 1: away });
    await expect(resultFile(RUN, silent.rowset, 'csv', OPTIONS)).rejects.toBe(away);
  });
});

describe('a file', () => {
  const many = Array.from({ length: 5_001 }, (_, index) => `user${index}`);

  test('has all pages, by their tokens', async () => {
    const { rowset, asked } = rowsetOf(many);
    const file = await resultFile(RUN, rowset, 'csv', OPTIONS);
    expect(file).toMatchObject({ name: 'run-7.csv', mediaType: 'text/csv; charset=utf-8' });
    expect(asked).toEqual(['millrace-a-7 1 of 2500']);
    const lines = (await bytesOf(file.bytes)).toString().split('\r\n');
    expect(lines).toHaveLength(1 + 5_001 + 1);
    expect(lines.slice(0, 2)).toEqual([
      'Email,Opens,Share,Active,Last',
      'user0,12,0.10,true,2026-01-31T21:30:00',
    ]);
    expect(asked).toEqual(['millrace-a-7 1 of 2500', 'after 2.2500', 'after 3.2500']);
  });

  test('runs nothing in a spreadsheet', async () => {
    const { rowset } = rowsetOf([`=HYPERLINK("http://example.com")`]);
    const { bytes } = await resultFile({ ...RUN, rowCount: 1 }, rowset, 'csv', OPTIONS);
    expect((await bytesOf(bytes)).toString()).toContain(`"'=HYPERLINK(`);
  });

  test.each(['jsonl', 'xlsx', 'parquet'] as const)(
    'can be %s, also without rows',
    async (format) => {
      const { rowset } = rowsetOf([]);
      const run = { ...RUN, rowCount: 0, snippetName: 'opens' };
      const file = await resultFile(run, rowset, format, OPTIONS);
      expect(file.name).toBe(`opens.${format}`);
      const bytes = await bytesOf(file.bytes);
      expect(bytes.length > 0).toBe(format !== 'jsonl');
    },
  );

  test('breaks where a page fails or the rows end before their time: it must not look whole', async () => {
    const cut = await resultFile(RUN, rowsetOf(many, { 2: away }).rowset, 'csv', OPTIONS);
    await expect(bytesOf(cut.bytes)).rejects.toBe(away);
    const { rowset } = rowsetOf(many);
    const short: Rowset = {
      ...rowset,
      rowsAfter: async (next) => ({ ...(await rowset.rowsAfter(next)), rows: [], next: null }),
    };
    const file = await resultFile(RUN, short, 'csv', OPTIONS);
    await expect(bytesOf(file.bytes)).rejects.toMatchObject({
      code: 'results_changed',
      message: expect.stringContaining('5001 rows, and they ended after 2500') as string,
    });
  });

  test('breaks where a token has expired: another reading may have another order', async () => {
    const { rowset, asked } = rowsetOf(many);
    const expired: Rowset = { ...rowset, rowsAfter: () => Promise.reject(gone) };
    const file = await resultFile(RUN, expired, 'jsonl', OPTIONS);
    await expect(bytesOf(file.bytes)).rejects.toMatchObject({ code: 'results_changed' });
    expect(asked).toEqual(['millrace-a-7 1 of 2500']);
  });

  test.each([[[]], [['a', 'b']]])(
    'is refused at once where there are fewer rows than were counted: %j',
    async (emails) => {
      const { rowset } = rowsetOf(emails);
      const refusal = { code: 'results_changed' };
      await expect(resultFile(RUN, rowset, 'csv', OPTIONS)).rejects.toMatchObject(refusal);
      const page = resultPage(RUN, rowset, { ...OPTIONS, limit: 100 });
      await expect(page).rejects.toMatchObject(refusal);
    },
  );

  test('has rows that came after they were counted, also while it is read', async () => {
    const { rowset } = rowsetOf(many);
    const grows: Rowset = {
      ...rowset,
      rows: async (key, options) => ({ ...(await rowset.rows(key, options)), count: 5_000 }),
    };
    const file = await resultFile(RUN, grows, 'jsonl', OPTIONS);
    expect((await bytesOf(file.bytes)).toString().split('\n')).toHaveLength(5_002);
  });
});

test.each([
  ['1/31/2026 12:05:00 AM', '2026-01-31T00:05:00'],
  ['12/1/2026 12:05:00 PM', '2026-12-01T12:05:00'],
  ['1/31/2026 9:30:00.1230000 PM', '2026-01-31T21:30:00.123'],
  ['1/31/2026', '2026-01-31'],
  ['2026-01-31T09:30:00', '2026-01-31T09:30:00'],
  ['soon', 'soon'],
])('the date %s is %s', (given, iso) => expect(isoDate(given)).toBe(iso));
