import { ArrowRight, Check, CircleAlert } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { count, plural } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Choice, TextInput } from '../../../ui/field.tsx';
import type { RowProblem, RowsChecked, TableRead } from '../types.ts';
import {
  type Filling,
  type How,
  type Mapping,
  type TemplateField,
  isGuess,
  letterOf,
} from './match.ts';
import { useHeld } from './useHeld.ts';

export interface MapProps {
  readonly fields: readonly TemplateField[];
  readonly mapping: Mapping;
  readonly table: TableRead;
  /** Problems of the rows; undefined until checked. */
  readonly checked: RowsChecked | undefined;
  /** The findings of the shown row. */
  readonly problems: readonly RowProblem[];
  readonly cells: TableRead['rows'][number]['cells'];
  onFill(path: string, filling: Filling | null): void;
  /** All guesses are right. */
  onAgree(): void;
  onRow(row: number): void;
}

/** Fields that need a decision: not filled, or filled by a guess. */
export function isUndecided({ path, required }: TemplateField, mapping: Mapping): boolean {
  const filling = mapping.get(path);
  if (filling === undefined) return required;
  if ('same' in filling) return filling.same === '';
  return isGuess(filling);
}

type GroupOf = 'undecided' | 'matched' | 'optional';

/** Undecided fields first, then matched ones, then what nothing uses. */
export function MapRows(props: MapProps) {
  const { fields, mapping, table, checked, onAgree } = props;
  const guesses = fields.filter((field) => isGuess(mapping.get(field.path))).length;
  const held = useHeld<GroupOf>();
  const wrong = new Set(checked?.fields.map(({ path }) => path));
  const groupOf = (field: TemplateField): GroupOf => {
    const { path, required } = field;
    const where = held.groupOf(path);
    if (where !== undefined) return where;
    if (isUndecided(field, mapping) || (mapping.has(path) && wrong.has(path))) return 'undecided';
    return required || mapping.has(path) ? 'matched' : 'optional';
  };
  const rowsOf = (group: GroupOf) =>
    fields
      .filter((field) => groupOf(field) === group)
      .map((field) => (
        <FieldRow
          key={field.path}
          field={field}
          isOpen={group === 'undecided'}
          onHold={() => held.hold(field.path, group)}
          onLeft={(row) => held.left(field.path, row)}
          {...props}
        />
      ));
  const undecided = rowsOf('undecided');
  const matched = rowsOf('matched');
  const optional = rowsOf('optional');
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
          action={
            guesses > 1 && (
              <Button size="small" onClick={onAgree}>
                All {count(guesses)} guesses are right
              </Button>
            )
          }
        >
          {undecided}
        </Group>
      )}
      <Group
        icon={<Check size={15} className="text-succeeded" />}
        title="Matched"
        note={count(matched.length)}
      >
        {matched}
      </Group>
      {optional.length > 0 && (
        <Group title="Optional" note={count(optional.length)}>
          {optional}
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
  action,
  children,
}: {
  icon?: ReactNode;
  title: string;
  note: string;
  action?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <section>
      <h2 className="flex min-h-8.5 items-center gap-2 border-b border-line bg-well px-6 py-1 max-md:px-4">
        {icon}
        {title} <span className="min-w-0 grow font-normal text-ink-2">{note}</span>
        {action}
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
  isOpen,
  onHold,
  onLeft,
  mapping,
  table,
  checked,
  problems,
  cells,
  onFill,
  onRow,
}: MapProps & {
  field: TemplateField;
  isOpen: boolean;
  onHold(): void;
  onLeft(row: HTMLElement): void;
}) {
  const row = useRef<HTMLDivElement>(null);
  const answered = useRef(false);
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
  // A button that was pressed is gone with its question: the focus goes to what it decided.
  useEffect(() => {
    if (!answered.current) return;
    answered.current = false;
    const [text] = row.current?.getElementsByTagName('input') ?? [];
    const [choice] = row.current?.getElementsByTagName('select') ?? [];
    (text ?? choice)?.focus();
  }, [filling]);
  const onAnswer = (next: Filling | null): void => {
    answered.current = true;
    onFill(path, next);
  };
  return (
    <div
      ref={row}
      onFocus={onHold}
      onBlur={({ currentTarget }) => onLeft(currentTarget)}
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
            <p className="mt-0.5 truncate px-2.25 text-small text-ink-3">
              {String(cells[column] ?? '') || 'empty in this row'}
            </p>
          )
        )}
        {problems
          .filter(({ field: of, code }) => of === path && !EMPTY.has(code))
          .map(({ message }) => (
            <p key={message} className="px-2.25 text-small break-words text-failed">
              {message.replace(`${path}: `, '')}
            </p>
          ))}
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
          checked={checked}
          onAnswer={onAnswer}
          onRow={onRow}
        />
      </span>
    </div>
  );
}

function Status({
  path,
  filling,
  required,
  checked,
  onAnswer,
  onRow,
}: {
  path: string;
  filling: Filling | undefined;
  required: boolean;
  checked: RowsChecked | undefined;
  onAnswer(filling: Filling | null): void;
  onRow: MapProps['onRow'];
}) {
  const wrong = checked?.fields.find((each) => each.path === path);
  if (filling === undefined)
    return required ? (
      <Button size="small" onClick={() => onAnswer({ same: '' })}>
        Same for all rows
      </Button>
    ) : (
      <>not needed</>
    );
  if ('empty' in filling) return <>left empty</>;
  if ('same' in filling && (wrong === undefined || filling.same === ''))
    return <>{filling.same === '' ? 'write its text' : 'same for all rows'}</>;
  if (isGuess(filling))
    return (
      <>
        Guess
        <Button
          size="small"
          aria-label={`Yes, ${path} is right`}
          onClick={() => onAnswer({ column: filling.column, how: 'chosen' })}
        >
          Yes
        </Button>
        <Button
          size="small"
          aria-label={`No, ${path} is not that column`}
          onClick={() => onAnswer(null)}
        >
          No
        </Button>
      </>
    );
  const first = checked?.rows.find(({ problems }) => problems.some(({ field }) => field === path));
  if (wrong !== undefined)
    return (
      <button
        type="button"
        disabled={first === undefined}
        onClick={() => first !== undefined && onRow(first.row)}
        className="rounded-token text-left font-medium text-retrying hover:underline"
      >
        {wrongInWords(wrong)}
      </button>
    );
  return (
    <>
      <Check size={14} className="text-succeeded" aria-hidden="true" />
      {'how' in filling && HOW[filling.how]}
    </>
  );
}

/** The placeholder of an empty cell. */
const EMPTY: ReadonlySet<string> = new Set(['missing_field', 'empty_field']);

export function wrongInWords({ empty, unusable }: { empty: number; unusable: number }): string {
  const parts = [
    ...(empty === 0 ? [] : [`${plural(empty, 'row')} ${empty === 1 ? 'is' : 'are'} empty`]),
    ...(unusable === 0 ? [] : [`${plural(unusable, 'row')} cannot be used`]),
  ];
  return parts.join(', ');
}
