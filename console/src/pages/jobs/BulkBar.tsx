import { Ban, ChevronsUp, RotateCcw, Trash2, X } from 'lucide-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../data/roles.ts';
import { correctedNow } from '../../time/now.ts';
import { count } from '../../time/words.ts';
import { IconButton } from '../../ui/button.tsx';
import { BulkDialog, type BulkAction } from './bulk/BulkDialog.tsx';
import { type JobsSearch, filterOf } from './search.ts';
import type { Selection } from './selection.ts';

const ACTIONS = [
  { action: 'retry', word: 'Retry', icon: RotateCcw },
  { action: 'cancel', word: 'Cancel', icon: Ban },
  { action: 'priority', word: 'Priority', icon: ChevronsUp },
  { action: 'delete', word: 'Delete', icon: Trash2 },
] as const;

/** Actions for the selected rows, or for all matching ones. Floats above the pager, so that nothing moves. */
export function BulkBar({ selection, filter }: { selection: Selection; filter: JobsSearch }) {
  const ids = [...selection.chosen];
  const navigate = useNavigate();
  const mayAct = useMay('freezeBulk');
  const mayDelete = useMay('deleteJob');
  const [all, setAll] = useState(false);
  const [asked, setAsked] = useState<BulkAction | null>(null);
  const hasFilter = Object.values(filter).some((value) => value !== undefined);
  const button =
    'inline-flex h-8 items-center gap-2 rounded-control px-2.5 hover:bg-[#1f3f47] aria-disabled:opacity-50';
  return (
    <>
      <div
        role="region"
        aria-label="Chosen jobs"
        className="appearing absolute bottom-14 left-1/2 z-10 flex max-w-[calc(100%-24px)] -translate-x-1/2 flex-wrap items-center gap-1 rounded-node bg-night px-3 py-1.5 text-[#e9f3f3] shadow-dialog"
      >
        <b className="whitespace-nowrap">
          {all ? 'All matching' : `${count(ids.length)} selected`}
        </b>
        {hasFilter && (
          <button
            type="button"
            aria-pressed={all}
            className={`${button} text-[#9fdce4]`}
            onClick={() => setAll(!all)}
          >
            {all ? 'Only the selected' : 'Select all matching'}
          </button>
        )}
        {ACTIONS.map(({ action, word, icon: Icon }) => {
          const { allowed, why } = action === 'delete' ? mayDelete : mayAct;
          return (
            <button
              key={action}
              type="button"
              className={button}
              aria-disabled={!allowed}
              title={why ?? undefined}
              onClick={() => allowed && setAsked(action)}
            >
              <Icon size={14} /> {word}
              {why !== null && <span className="sr-only">. {why}</span>}
            </button>
          );
        })}
        <IconButton
          label="Clear the selection"
          className="text-[#b6c9cc] hover:bg-[#1f3f47] hover:text-white"
          onClick={selection.clear}
        >
          <X size={15} />
        </IconButton>
      </div>
      {asked !== null && (
        <BulkDialog
          action={asked}
          what={all ? { filter: filterOf(filter, correctedNow()) } : { ids }}
          onClose={() => setAsked(null)}
          onStarted={(bulk) => {
            setAsked(null);
            selection.clear();
            void navigate({
              to: '/jobs',
              search: (before) => ({ ...before, bulk }),
              replace: true,
            });
          }}
        />
      )}
    </>
  );
}
