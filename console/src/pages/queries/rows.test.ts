import { describe, expect, test } from 'vitest';
import { type Row, chartOf, compareBy } from './rows.ts';

function sorted(type: string, values: readonly Row[string][], down = false): Row[string][] {
  const rows = values.map((value) => ({ Total: value }));
  return rows.toSorted(compareBy({ name: 'Total', type }, down)).map(({ Total }) => Total);
}

test('decimals, which come as text, are sorted by their size', () => {
  const values = ['1.3', '-5', '1.25', '-10', null, '100', '9007199254740993', '9'];
  const bySize = ['-10', '-5', '1.25', '1.3', '9', '100', '9007199254740993'];
  expect(sorted('decimal', values)).toEqual([...bySize, null]);
  expect(sorted('decimal', values, true)).toEqual([...bySize.toReversed(), null]);
});

test('numbers in a text, such as versions, are sorted as people number things', () => {
  expect(sorted('text', ['v1.10', 'v1.9', 'a', ''])).toEqual(['', 'a', 'v1.9', 'v1.10']);
});

describe('what a chart shows at first', () => {
  const column = (name: string, type: string) => ({ name, type });
  const rows = [
    { Email: 'a', Country: 'DE', JobID: 1, Opens: 5 },
    { Email: 'b', Country: 'DE', JobID: 2, Opens: 7 },
  ];

  test('the number beside a label, and never the sum of ids', () => {
    const columns = [column('JobID', 'number'), column('Email', 'text'), column('Opens', 'number')];
    expect(chartOf(columns, rows)).toEqual({ by: 'Email', sum: 'Opens' });
    const ids = [column('JobID', 'number'), column('Opens', 'number')];
    expect(chartOf(ids, rows)).toEqual({ by: 'JobID', sum: 'Opens' });
  });

  test.each(['AmountPaid', 'paid', 'Bid', 'UNPAID', 'Void'])('%s is no id', (name) => {
    expect(chartOf([column('Email', 'text'), column(name, 'decimal')], rows).sum).toBe(name);
  });

  test.each(['ID', 'contact_id', 'SubscriberId', 'accountid', 'CONTACTID', 'Order Key', 'key'])(
    '%s is one',
    (name) => {
      expect(chartOf([column('Email', 'text'), column(name, 'number')], rows).sum).toBe(null);
    },
  );

  test('labels that differ, and how often they are there where there is no number', () => {
    const texts = [column('Country', 'text'), column('Email', 'text')];
    expect(chartOf(texts, rows)).toEqual({ by: 'Email', sum: null });
  });
});
