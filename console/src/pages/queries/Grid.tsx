import { useVirtualizer } from '@tanstack/react-virtual';
import { ArrowDown, ArrowUp } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { type Row, compareBy, isNumeric } from './rows.ts';

interface Column {
  readonly name: string;
  readonly type: string;
}

const ROW = 32;

/** Only the rows in sight are in the page. A click on a column sorts, a second one the other way round, a third not at all. */
export function Grid({ columns, rows }: { columns: readonly Column[]; rows: readonly Row[] }) {
  const box = useRef<HTMLDivElement>(null);
  const [sort, setSort] = useState<{ column: string; down: boolean } | null>(null);
  const sorted = useMemo(() => {
    const by = columns.find(({ name }) => name === sort?.column);
    return sort === null || by === undefined ? rows : rows.toSorted(compareBy(by, sort.down));
  }, [columns, rows, sort]);
  const virtual = useVirtualizer({
    count: sorted.length,
    getScrollElement: () => box.current,
    estimateSize: () => ROW,
    overscan: 12,
  });
  const items = virtual.getVirtualItems();
  const before = items[0]?.start ?? 0;
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0);
  const turn = (column: string): void =>
    setSort(
      sort?.column !== column ? { column, down: false } : sort.down ? null : { column, down: true },
    );
  return (
    <div
      ref={box}
      className="min-h-0 overflow-auto max-lg:h-100"
      tabIndex={0}
      role="region"
      aria-label="Rows of the result"
    >
      <table aria-rowcount={sorted.length + 1} className="border-separate border-spacing-0">
        <thead>
          <tr aria-rowindex={1}>
            <th className="sticky top-0 z-1 w-12 border-r border-b border-line bg-well px-2 text-right text-small font-normal text-ink-3">
              #
            </th>
            {columns.map(({ name, type }) => (
              <th
                key={name}
                scope="col"
                aria-sort={
                  sort?.column === name ? (sort.down ? 'descending' : 'ascending') : 'none'
                }
                className="sticky top-0 z-1 border-r border-b border-line bg-well px-3 py-1 text-left font-medium whitespace-nowrap"
              >
                <button
                  type="button"
                  className="inline-flex items-center gap-1.5"
                  onClick={() => turn(name)}
                >
                  {name}
                  {sort?.column === name &&
                    (sort.down ? <ArrowDown size={12} /> : <ArrowUp size={12} />)}
                </button>
                <span className="block text-axis font-normal text-ink-3">{type}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <Gap height={before} />}
          {items.map(({ index }) => (
            <tr
              key={index}
              aria-rowindex={index + 2}
              style={{ height: ROW }}
              className="hover:bg-hover"
            >
              <td className="border-r border-b border-line-soft bg-well px-2 text-right text-small text-ink-3">
                {index + 1}
              </td>
              {columns.map(({ name, type }) => (
                <Cell key={name} value={sorted[index]?.[name] ?? null} isNumber={isNumeric(type)} />
              ))}
            </tr>
          ))}
          {after > 0 && <Gap height={after} />}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ value, isNumber }: { value: Row[string]; isNumber: boolean }) {
  return (
    <td
      className={`max-w-100 truncate border-r border-b border-line-soft px-3 ${isNumber ? 'text-right' : ''}`}
      title={value === null ? undefined : String(value)}
    >
      {value === null ? <span className="text-ink-3">null</span> : String(value)}
    </td>
  );
}

function Gap({ height }: { height: number }) {
  return (
    <tr aria-hidden="true">
      <td style={{ height }} />
    </tr>
  );
}
