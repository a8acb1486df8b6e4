import { ArrowRight, Check, CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { count, plural } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice, TextInput } from '../../../ui/field.tsx';
import type { TableRead } from '../types.ts';
import { type Filling, type How, type Mapping, type TemplateField, letterOf } from './match.ts';

export interface MapProps {
  readonly fields: readonly TemplateField[];
  readonly mapping: Mapping;
  readonly table: TableRead;
  /** In how many rows a field is empty. */
  readonly gaps: ReadonlyMap<string, number>;
  readonly cells: TableRead['rows'][number]['cells'];
  onFill(path: string, filling: Filling | null): void;
}

/** What somebody has to decide: nothing fills it, it is a guess, or cells are empty. */
export function isUndecided(
  { path, required }: TemplateField,
  mapping: Mapping,
  gaps: ReadonlyMap<string, number>,
): boolean {
  const filling = mapping.get(path);
  if (filling === undefined) return required;
  if ('same' in filling) return filling.same === '';
  return 'column' in filling && (filling.how === 'guess' || (gaps.get(path) ?? 0) > 0);
}

/** Undecided fields first, then matched ones, then what nothing uses. */
export function MapRows(props: MapProps) {
  const { fields, mapping, table, gaps } = props;
  const undecided = fields.filter((field) => isUndecided(field, mapping, gaps));
  const optional = fields.filter(({ path, required }) => !required && !mapping.has(path));
  const matched = fields.filter((field) => !undecided.includes(field) && !optional.includes(field));
  const used = new Set(
    [...mapping.values()].flatMap((filling) => ('column' in filling ? [filling.column] : [])),
  );
  const unused = table.columns.flatMap(({ name }, index) =>
    used.has(index) || name === '' ? [] : [`${letterOf(index)} “${name}”`],
  );
  return (
    <div>
      {undecided.length > 0 && (
        <Group
          icon={<CircleAlert size={15} className="text-retrying" />}
          title="Needs a decision"
          note={`${undecided.length} of ${plural(fields.length, 'field')}`}
        >
          {undecided.map((field) => (
            <FieldRow key={field.path} field={field} isOpen {...props} />
          ))}
        </Group>
      )}
      <Group
        icon={<Check size={15} className="text-succeeded" />}
        title="Matched"
        note={count(matched.length)}
      >
        {matched.map((field) => (
          <FieldRow key={field.path} field={field} {...props} />
        ))}
      </Group>
      {optional.length > 0 && (
        <Group title="May stay empty" note={count(optional.length)}>
          {optional.map((field) => (
            <FieldRow key={field.path} field={field} {...props} />
          ))}
        </Group>
      )}
      {unused.length > 0 && (
        <Group title="Not used" note={`${plural(unused.length, 'column')}: ${unused.join(', ')}`} />
      )}
    </div>
  );
}

function Group({
  icon,
  title,
  note,
  children,
}: {
  icon?: ReactNode;
  title: string;
  note: string;
  children?: ReactNode;
}) {
  return (
    <section>
      <h2 className="flex min-h-8.5 items-center gap-2 border-b border-line bg-well px-6 py-1 max-md:px-4">
        {icon}
        {title} <span className="min-w-0 font-normal text-ink-2">{note}</span>
      </h2>
      {children}
    </section>
  );
}

const HOW: Readonly<Record<How, string>> = {
  same: 'same name',
  last: 'as last time',
  guess: 'guess',
  chosen: 'chosen',
};

function FieldRow({
  field,
  isOpen = false,
  mapping,
  table,
  gaps,
  cells,
  onFill,
}: MapProps & { field: TemplateField; isOpen?: boolean }) {
  const { path, kind, required } = field;
  const filling = mapping.get(path);
  const column = filling !== undefined && 'column' in filling ? filling.column : null;
  const chosen =
    filling === undefined
      ? ''
      : 'column' in filling
        ? String(filling.column)
        : 'same' in filling
          ? 'same'
          : 'empty';
  const choose = (value: string): void => {
    if (value === '') onFill(path, null);
    else if (value === 'same') onFill(path, { same: '' });
    else if (value === 'empty') onFill(path, { empty: true });
    else onFill(path, { column: Number(value), how: 'chosen' });
  };
  return (
    <div
      className={`grid grid-cols-[minmax(0,1fr)_20px_minmax(0,1fr)_minmax(0,11rem)] items-center gap-x-3 border-b border-line-soft px-6 py-1.5 max-md:grid-cols-[minmax(0,1fr)_auto] max-md:gap-y-1 max-md:px-4 ${isOpen ? 'bg-retrying-tint/45' : ''}`}
    >
      <div className="min-w-0 max-md:col-span-2 max-md:row-start-2">
        <Choice
          aria-label={`Column for ${path}`}
          value={chosen}
          onChange={(event) => choose(event.target.value)}
          className={column === null ? 'border-dashed text-ink-2' : ''}
        >
          <option value="">no column</option>
          <option value="same">the same for all rows…</option>
          {required && <option value="empty">leave it empty</option>}
          {table.columns.map(
            ({ name }, index) =>
              name !== '' && (
                <option key={index} value={index}>
                  {letterOf(index)} · {name}
                </option>
              ),
          )}
        </Choice>
        {filling !== undefined && 'same' in filling ? (
          <TextInput
            aria-label={`${path} in all rows`}
            value={filling.same}
            placeholder="the same text in all rows"
            onChange={(event) => onFill(path, { same: event.target.value })}
            className="mt-1"
          />
        ) : (
          column !== null && (
            <p className="truncate px-2.25 text-small text-ink-3">
              {String(cells[column] ?? '') || 'empty in this row'}
            </p>
          )
        )}
      </div>
      <ArrowRight size={15} className="text-water-2 max-md:hidden" aria-hidden="true" />
      <span className="min-w-0 truncate max-md:row-start-1" title={path}>
        <code>{path}</code>
        {kind !== 'value' && <span className="ml-2 text-small text-ink-3">{kind}</span>}
      </span>
      <span className="flex items-center gap-1.5 text-small text-ink-2 max-md:row-start-1 max-md:justify-end">
        <Status
          path={path}
          filling={filling}
          required={required}
          gap={gaps.get(path) ?? 0}
          onFill={onFill}
        />
      </span>
    </div>
  );
}

function Status({
  path,
  filling,
  required,
  gap,
  onFill,
}: {
  path: string;
  filling: Filling | undefined;
  required: boolean;
  gap: number;
  onFill: MapProps['onFill'];
}) {
  if (filling === undefined)
    return required ? (
      <Button size="small" onClick={() => onFill(path, { same: '' })}>
        Same for all rows
      </Button>
    ) : (
      <>not needed</>
    );
  if ('empty' in filling) return <>left empty</>;
  if ('same' in filling) return <>{filling.same === '' ? 'write its text' : 'same for all rows'}</>;
  if (filling.how === 'guess')
    return (
      <>
        Guess
        <Button
          size="small"
          aria-label={`Yes, ${path} is right`}
          onClick={() => onFill(path, { column: filling.column, how: 'chosen' })}
        >
          Yes
        </Button>
        <Button
          size="small"
          aria-label={`No, ${path} is not that column`}
          onClick={() => onFill(path, null)}
        >
          No
        </Button>
      </>
    );
  if (gap > 0)
    return (
      <span className="font-medium text-retrying">
        {gap === 1 ? '1 row is empty' : `${count(gap)} rows are empty`}
      </span>
    );
  return (
    <>
      <Check size={14} className="text-succeeded" aria-hidden="true" />
      {HOW[filling.how]}
    </>
  );
}
