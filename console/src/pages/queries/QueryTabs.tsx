import { Plus, X } from 'lucide-react';
import { IconButton } from '../../ui/button.tsx';
import { type useTabs, newTab } from './tabs.ts';

export function QueryTabs({
  tabs: { tabs, shown, show, open, close },
}: {
  tabs: ReturnType<typeof useTabs>;
}) {
  return (
    <div className="flex flex-none items-center border-b border-line pl-2">
      <div role="group" aria-label="Open queries" className="flex min-w-0 overflow-x-auto">
        {tabs.map(({ id, title, sql, ranSql }) => (
          <span
            key={id}
            className={`flex h-10 flex-none items-center gap-1 pl-3 ${id === shown.id ? 'shadow-[inset_0_-2px_0_var(--link)]' : ''}`}
          >
            <button
              type="button"
              aria-pressed={id === shown.id}
              className={`max-w-44 truncate ${id === shown.id ? 'font-[550]' : 'text-ink-2 hover:text-ink'}`}
              onClick={() => show(id)}
            >
              {title}
              {ranSql !== sql && (
                <i
                  className="ml-1.5 inline-block size-1.5 rounded-full bg-ink-3 align-middle"
                  title="Changed since the last run"
                />
              )}
            </button>
            <button
              type="button"
              aria-label={`Close ${title}`}
              className="grid size-6 place-items-center rounded-token text-ink-3 hover:bg-hover hover:text-ink"
              onClick={() => close(id)}
            >
              <X size={12} />
            </button>
          </span>
        ))}
      </div>
      <IconButton label="New query" onClick={() => open(newTab())}>
        <Plus size={15} />
      </IconButton>
    </div>
  );
}
