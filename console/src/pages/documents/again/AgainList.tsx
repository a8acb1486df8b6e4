import { Link } from '@tanstack/react-router';
import { Repeat, X } from 'lucide-react';
import { type Saved, useSaving } from '../../../data/saved.ts';
import { Ago } from '../../../time/Time.tsx';
import { plural } from '../../../time/words.ts';
import { IconButton } from '../../../ui/button.tsx';
import type { SavedBatch } from './again.ts';

/** Batches that the person has saved, the last one first: each opens the wizard with what was decided then. */
export function AgainList({ saved }: { saved: readonly Saved<SavedBatch>[] }) {
  const { remove } = useSaving('batches');
  if (saved.length === 0) return null;
  return (
    <section aria-label="Do again" className="min-w-0">
      <h2 className="mb-1.5 flex items-center gap-2">
        <Repeat size={15} className="text-ink-3" aria-hidden="true" />
        Do again
      </h2>
      <ul className="grid grid-cols-[repeat(auto-fill,minmax(15rem,1fr))] gap-2">
        {saved
          .toSorted((a, b) => b.updatedAt.localeCompare(a.updatedAt))
          .map((thing) => (
            <li
              key={thing.name}
              className="flex items-center rounded-control border border-line hover:bg-hover"
            >
              <Link
                to="/documents/new"
                search={{ template: thing.value.template, again: thing.name }}
                className="min-w-0 flex-1 px-3 py-1.5"
              >
                <b className="block truncate font-[550]">{thing.name}</b>
                <span className="block truncate text-small text-ink-3">
                  {thing.value.template}, {plural(thing.value.rows, 'row')},{' '}
                  <Ago at={thing.updatedAt} />
                </span>
              </Link>
              <IconButton
                label={`Delete ${thing.name}`}
                className="mr-1"
                onClick={() => void remove(thing)}
              >
                <X size={14} />
              </IconButton>
            </li>
          ))}
      </ul>
    </section>
  );
}
