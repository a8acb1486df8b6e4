import { Pencil } from 'lucide-react';
import { useState } from 'react';
import { count } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { StateIcon } from '../../../ui/state.tsx';
import type { Item } from '../types.ts';
import type { Corrections, FailedRow } from './correct.ts';
import { ERROR, LINE } from './csv.ts';

/** One failed row: who, what is wrong, and the cells that it is about. */
export function Correction({
  item,
  header,
  row,
  typed,
  offers,
  isShown,
  why,
  onType,
  onShow,
}: {
  readonly item: Item;
  readonly header: readonly string[];
  readonly row: FailedRow | undefined;
  readonly typed: ReadonlyMap<number, string> | undefined;
  readonly offers: Corrections;
  readonly isShown: boolean;
  readonly why: string | null;
  onType(column: number, text: string | null): void;
  onShow(): void;
}) {
  const [isWhole, setWhole] = useState(false);
  const isCorrected = (typed?.size ?? 0) > 0;
  const all = header.flatMap((name, index) =>
    name === LINE || name === ERROR || name === '' ? [] : [index],
  );
  const columns =
    row === undefined ? [] : isWhole || row.suspects.length === 0 ? all : row.suspects;
  const isTall = columns.length > 2;
  return (
    <li
      className={`grid grid-cols-[3rem_1rem_minmax(0,1fr)_minmax(0,1.2fr)] items-start gap-x-3 gap-y-1.5 border-b border-line-soft px-6 py-2.5 max-md:grid-cols-[1rem_minmax(0,1fr)] max-md:px-4 ${isShown ? 'bg-hover shadow-[inset_3px_0_0_var(--water-1)]' : ''}`}
      onFocus={isShown ? undefined : onShow}
    >
      <span className="pt-0.5 text-right text-ink-3 max-md:hidden">{count(item.item)}</span>
      <span className="pt-1">
        {isCorrected ? (
          <Pencil size={14} className="text-running" aria-label="corrected" />
        ) : (
          <StateIcon phase="failed" label="failed" />
        )}
      </span>
      <div className="min-w-0">
        <button
          type="button"
          onClick={onShow}
          aria-pressed={isShown}
          className="max-w-full truncate rounded-token text-left font-medium hover:underline"
        >
          {row?.who === undefined || row.who === '' ? `Row ${count(item.item)}` : row.who}
          <span className="ml-2 font-normal text-ink-3 md:hidden">row {count(item.item)}</span>
        </button>
        <p className="break-words">{item.error?.message}</p>
        <code className="text-ink-3">{item.error?.code}</code>
      </div>
      <div
        className={`min-w-0 max-md:col-start-2 ${isTall ? 'grid gap-1.5 sm:grid-cols-2' : 'flex flex-col gap-1.5'}`}
      >
        {row !== undefined &&
          columns.map((column) => (
            <CellInput
              key={column}
              name={header[column] ?? ''}
              item={item.item}
              before={row.cells[column] ?? ''}
              text={typed?.get(column)}
              isWrong={row.suspects.includes(column)}
              offer={row.suspects.includes(column) ? offerFor(offers, row.line, column) : null}
              why={why}
              onType={(text) => onType(column, text)}
            />
          ))}
        {row !== undefined && row.suspects.length > 0 && all.length > row.suspects.length && (
          <button
            type="button"
            onClick={() => setWhole(!isWhole)}
            className="justify-self-start rounded-token text-left text-small text-link hover:underline"
          >
            {isWhole ? 'Only what is wrong' : 'All cells'}
          </button>
        )}
      </div>
    </li>
  );
}

/** A suggestion from the same column of another corrected row: equal gaps often need the same value. */
function offerFor(corrections: Corrections, line: number, column: number): string | null {
  const texts = [...corrections]
    .filter(([other]) => other !== line)
    .flatMap(([, typed]) => typed.get(column) ?? []);
  return texts.at(-1) ?? null;
}

function CellInput({
  name,
  item,
  before,
  text,
  isWrong,
  offer,
  why,
  onType,
}: {
  name: string;
  item: number;
  before: string;
  text: string | undefined;
  isWrong: boolean;
  offer: string | null;
  why: string | null;
  onType(text: string | null): void;
}) {
  const look =
    text !== undefined
      ? 'border-transparent bg-brand-tint'
      : isWrong
        ? 'border-failed-fill bg-raised'
        : 'border-line bg-raised';
  return (
    <span className="flex items-center gap-2">
      <label
        className={`block min-w-0 flex-1 rounded-control border px-2.25 py-1 has-focus-visible:outline-2 has-focus-visible:outline-focus ${look}`}
      >
        <code className="block truncate text-axis text-ink-3">{name}</code>
        <input
          aria-label={`${name} of row ${item}`}
          value={text ?? before}
          disabled={why !== null}
          title={why ?? undefined}
          placeholder={offer === null ? 'empty' : `${offer}?`}
          onChange={({ target }) => onType(target.value === before ? null : target.value)}
          className="w-full bg-transparent font-medium text-ink outline-none placeholder:font-normal placeholder:text-ink-3 max-md:text-[16px]"
        />
      </label>
      {offer !== null && text === undefined && before === '' && (
        <Button size="small" onClick={() => onType(offer)}>
          Use it
        </Button>
      )}
    </span>
  );
}
