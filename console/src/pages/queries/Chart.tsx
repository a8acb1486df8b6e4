import { useState } from 'react';
import { count } from '../../time/words.ts';
import { Choice } from '../../ui/field.tsx';
import { type Row, chartOf, isNumeric, topOf } from './rows.ts';

/** A quick look: the most of one column, by how often or by the sum of another. Of the rows that are loaded. */
export function Chart({
  columns,
  rows,
}: {
  columns: readonly { name: string; type: string }[];
  rows: readonly Row[];
}) {
  const numbers = columns.filter(({ type }) => isNumeric(type));
  const first = chartOf(columns, rows);
  const [by, setBy] = useState(first.by);
  const [sum, setSum] = useState(first.sum ?? '');
  const slices = topOf(rows, by, sum === '' ? null : sum);
  const top = Math.max(1, ...slices.map(({ value }) => value));
  return (
    <aside
      aria-label="Quick chart"
      className="overflow-y-auto border-l border-line px-4 py-3 max-xl:hidden"
    >
      <div className="mb-3 grid gap-1.5">
        <Choice aria-label="By" value={by} onChange={(event) => setBy(event.target.value)}>
          {columns.map(({ name }) => (
            <option key={name}>{name}</option>
          ))}
        </Choice>
        <Choice aria-label="Of" value={sum} onChange={(event) => setSum(event.target.value)}>
          <option value="">count of rows</option>
          {numbers.map(({ name }) => (
            <option key={name} value={name}>
              sum of {name}
            </option>
          ))}
        </Choice>
      </div>
      <ul className="grid gap-2.5">
        {slices.map(({ label, value }) => (
          <li key={label}>
            <span className="flex justify-between gap-2">
              <span className="truncate">{label}</span>
              <span className="text-ink-2">{count(value)}</span>
            </span>
            <span className="block h-1.75 rounded-[2px] bg-hover">
              <i
                className={`block h-1.75 rounded-[2px] ${label === 'all others' ? 'bg-free' : 'bg-water-1'}`}
                style={{ width: `${(100 * value) / top}%` }}
              />
            </span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
