import { compile } from '@millrace/docx';
import { expect, test } from 'vitest';
import { docx, p } from '../../../../docx/test/builder.ts';
import { need } from '../../../../scripts/need.mjs';
import { batchSettingsSchema } from '../contract/envelope.ts';
import { checkRows } from './check-rows.ts';

await need('build'); // a CSV is read in a thread

const letter = compile(
  docx(p('{{Name}} until {{date Until}}: {{currency Pay "EUR"}} {{#if Note}}{{Note}}{{/if}}')),
);
const template = {
  fields: letter.fields,
  problems: (rows: readonly unknown[], options: Parameters<typeof letter.problems>[1]) =>
    Promise.resolve(rows.map((row) => letter.problems(row, options))),
};

function check(csv: string, { strict = true, allowMissing = false, maxRows = 1_000 } = {}) {
  const given = { templateId: 'letter', locale: 'de-DE', allowMissing, options: { strict } };
  const settings = batchSettingsSchema.parse(given);
  const source = { format: 'csv', bytes: Buffer.from(csv) } as const;
  return checkRows({ template, settings, source, maxRows, signal: undefined });
}

const HEADER = 'Name;Until;Pay;Note\n';

test('each row has all that is wrong with it, and the fields are counted over all rows', async () => {
  const rows = 'Ann;16.11.2026;1.234,50;\nBob;soon;much;\n;;12;\nEve;17.11.2026;1;x;too much\n';
  const { rows: listed, ...counts } = await check(HEADER + rows);
  expect(counts).toEqual({
    total: 4,
    ready: 1,
    failing: 3,
    warned: 0,
    fields: [
      { path: 'Until', empty: 1, unusable: 1 },
      { path: 'Pay', empty: 0, unusable: 1 },
      { path: 'Name', empty: 1, unusable: 0 },
    ],
  });
  expect(
    listed.map(({ row, line, problems }) => [
      row,
      line,
      ...problems.map(({ code, field }) => `${field} ${code}`),
    ]),
  ).toEqual([
    [2, 3, 'Until bad_value', 'Pay bad_value'],
    [3, 4, 'Name missing_field', 'Until missing_field'],
    [4, 5, 'null invalid_row'],
  ]);
});

test('a batch that makes rows with gaps is warned of them, and still cannot use what is no date', async () => {
  const lenient = { strict: false };
  const { ready, failing, warned, rows } = await check(`${HEADER}Ann;;1;\nBob;soon;1;\n`, lenient);
  expect({ ready, failing, warned }).toEqual({ ready: 1, failing: 1, warned: 1 });
  expect(rows[0]?.problems).toEqual([
    {
      severity: 'warning',
      code: 'empty_field',
      field: 'Until',
      message: 'The row has nothing for Until.',
    },
  ]);
});

test('what no column has is refused, or left empty on purpose in a strict batch too', async () => {
  await expect(check('Name;Pay\nAnn;1\n')).rejects.toMatchObject({ code: 'missing_columns' });
  expect(await check('Name;Pay\nAnn;1\n', { allowMissing: true })).toMatchObject({ ready: 1 });
});

test('there are rows, and not too many', async () => {
  await expect(check(HEADER)).rejects.toMatchObject({ code: 'invalid_rows' });
  const rows = 'Ann;16.11.2026;1;\n'.repeat(3);
  await expect(check(HEADER + rows, { maxRows: 2 })).rejects.toMatchObject({
    code: 'too_many_rows',
  });
});
