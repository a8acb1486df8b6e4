import type { ReactNode } from 'react';

export interface Column<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  readonly align?: 'right';
  /** Left out below 720 px, where a row has two columns at most. */
  readonly wide?: boolean;
  readonly className?: string;
}

/** A list of things. Rows of two lines; figures to the right. */
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
    <div className="overflow-x-auto">
      <table className="w-full border-separate border-spacing-0">
        <caption className="sr-only">{label}</caption>
        <thead>
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
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)} className={rowClass?.(row)}>
              {columns.map((column) => (
                <td
                  key={column.name}
                  className={`h-11 border-b border-line-soft py-1.5 pr-3 first:pl-6 last:pr-6 max-md:first:pl-4 max-md:last:pr-4 ${place(column)}`}
                >
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
