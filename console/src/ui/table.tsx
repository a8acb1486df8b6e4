import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** Left out below 720 px, where a row has two columns at most. */
  readonly wide?: boolean;
  readonly className?: string;
}

/** A list of things. Rows of two lines; figures to the right. Below 720 px the cells of a row follow each other as words do. */
export function Table<Row>({
  label,
  columns,
  rows,
  keyOf,
  rowClass,
}: {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  rowClass?: (row: Row) => string;
}) {
  const place = ({ align, wide, className = '' }: Column<Row>): string =>
    `${align === 'right' ? 'text-right whitespace-nowrap' : 'text-left'} ${wide === true ? 'max-md:hidden' : ''} ${className}`;
  return (
    <div className="relative overflow-x-auto">
      <table className="w-full border-separate border-spacing-0 max-md:block">
        <caption className="sr-only">{label}</caption>
        <thead className="max-md:hidden">
          <tr>
            {columns.map((column) => (
              <th
                key={column.name}
                scope="col"
                className={`h-8 border-y border-line bg-well pr-3 text-small font-[450] whitespace-nowrap text-ink-3 first:pl-6 last:pr-6 max-md:first:pl-4 max-md:last:pr-4 ${place(column)}`}
              >
                {column.name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="max-md:block max-md:border-t max-md:border-line">
          {rows.map((row) => (
            <tr
              key={keyOf(row)}
              className={`max-md:flex max-md:flex-wrap max-md:items-center max-md:gap-x-3 max-md:gap-y-1.5 max-md:border-b max-md:border-line-soft max-md:px-4 max-md:py-2.5 ${rowClass?.(row) ?? ''}`}
            >
              {columns.map((column) => (
                <td
                  key={column.name}
                  className={`h-11 border-b border-line-soft py-1.5 pr-3 first:pl-6 last:pr-6 max-md:h-auto max-md:max-w-full max-md:border-0 max-md:p-0 max-md:empty:hidden max-md:first:pl-0 max-md:last:pr-0 ${column.align === 'right' ? 'max-md:last:ml-auto' : ''} ${place(column)}`}
                >
                  {column.align === 'right' && column.name !== '' && (
                    <span className="pr-1 text-small text-ink-3 md:hidden">{column.name}</span>
                  )}
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A heading above a table, with what is quiet beside it. */
export function Heading({
  title,
  note,
  children,
}: {
  title: string;
  note?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-h-9 flex-wrap items-center gap-2 px-6 pb-1.5 max-md:px-4">
      <h2>{title}</h2>
      {note !== undefined && <span className="text-small text-ink-3">{note}</span>}
      {children !== undefined && <div className="ml-auto flex gap-2">{children}</div>}
    </div>
  );
}
