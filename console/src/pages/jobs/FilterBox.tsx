import { useNavigate } from '@tanstack/react-router';
import { ListFilter, X } from 'lucide-react';
import { useState } from 'react';
import { Kbd } from '../../ui/button.tsx';
import { FILTER_WORDS, type FilterName, type JobsSearch, withTyped } from './search.ts';

/** The filter as tokens, with an input for more. Backspace in the empty input removes the last token. */
export function FilterBox({ search }: { search: JobsSearch }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [wrong, setWrong] = useState<string | null>(null);
  const { after: _, ...filter } = search;
  const tokens = (Object.keys(FILTER_WORDS) as FilterName[]).flatMap((name) => {
    const value = filter[name];
    return value === undefined ? [] : [{ name, value }];
  });
  const go = (next: JobsSearch): void => void navigate({ to: '/jobs', search: next });
  const remove = (name: FilterName): void => go({ ...filter, [name]: undefined });
  const add = (): void => {
    const next = withTyped(filter, text);
    if (typeof next === 'string') return setWrong(next);
    go(next);
    setText('');
  };
  return (
    <div className="grid flex-none gap-1 px-6 py-3 max-md:px-4">
      <div className="flex min-h-7.5 flex-wrap items-center gap-1.5 rounded-control border border-line-strong bg-raised px-2 focus-within:outline-2 focus-within:outline-focus max-md:min-h-10">
        <ListFilter size={14} className="text-ink-3" />
        {tokens.map(({ name, value }) => (
          <span
            key={name}
            className="inline-flex items-center gap-1.5 rounded-token bg-brand-tint pl-1.5 text-small leading-5"
          >
            <span className="text-ink-2">{FILTER_WORDS[name]}</span> <b>{value}</b>
            <button
              type="button"
              aria-label={`Remove ${FILTER_WORDS[name]} ${value}`}
              className="grid size-6 place-items-center text-ink-3 hover:text-ink"
              onClick={() => remove(name)}
            >
              <X size={12} />
            </button>
          </span>
        ))}
        <form
          className="min-w-32 flex-1"
          onSubmit={(event) => {
            event.preventDefault();
            add();
          }}
        >
          <input
            id="job-filter"
            aria-label="Filter"
            aria-invalid={wrong !== null}
            aria-describedby="job-filter-note"
            value={text}
            placeholder="state:failed, kind:…, error:…, id, key"
            className="w-full bg-transparent py-1 outline-none placeholder:text-ink-3 max-md:text-[16px]"
            onChange={(event) => {
              setText(event.target.value);
              setWrong(null);
            }}
            onKeyDown={(event) => {
              const last = tokens.at(-1);
              if (event.key === 'Backspace' && text === '' && last !== undefined) remove(last.name);
              if (event.key === 'Escape') event.currentTarget.blur();
            }}
          />
        </form>
        <Kbd>/</Kbd>
      </div>
      <p id="job-filter-note" role="alert" className="text-small text-failed">
        {wrong}
      </p>
    </div>
  );
}
