import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, Search } from 'lucide-react';
import { use } from 'react';
import { MeContext, useApi, useApp } from '../data/client.ts';
import { keys } from '../data/keys.ts';
import { Kbd } from '../ui/button.tsx';
import { count } from '../time/words.ts';
import { MOD } from './keys.ts';
import { Level } from './Level.tsx';
import { Logo } from './Logo.tsx';
import { Person } from './Person.tsx';
import { SECTIONS } from './sections.ts';

export function Nav({ onFind }: { onFind(): void }) {
  const api = useApi();
  const me = use(MeContext);
  const environment = me?.environment ?? null;
  const { data: counts } = useQuery({ queryKey: keys.counts(), queryFn: () => api.counts() });
  const running = counts?.states.PROCESSING ?? 0;
  return (
    <nav
      aria-label="Main"
      className="flex h-dvh w-53 flex-none flex-col px-3 pt-3.5 pb-3 max-md:hidden print:hidden"
    >
      <div className="flex items-center gap-2.25 px-1 pb-3 text-lead">
        <Logo />
        <b>Millrace</b>
        {environment !== null && (
          <span className="ml-auto rounded-full border border-line-strong px-1.75 text-axis text-ink-3">
            {environment}
          </span>
        )}
      </div>
      <TenantChoice tenants={me?.tenants ?? null} />
      <button
        type="button"
        onClick={onFind}
        className="mt-1.5 mb-3 flex h-8 w-full items-center gap-2 rounded-control border border-line bg-surface px-2 text-ink-3 shadow-control hover:border-line-strong"
      >
        <Search size={14} />
        <span className="flex-1 text-left">Search or run…</span>
        <span>
          <Kbd>{MOD}</Kbd>
          <Kbd>K</Kbd>
        </span>
      </button>
      <ul className="flex flex-col gap-px">
        {SECTIONS.map(({ to, word, icon: Icon }) => (
          <li key={to}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/', includeSearch: false }}
              className="group flex h-7.5 items-center gap-2.25 rounded-control px-2 font-[450] text-ink-2 hover:bg-hover aria-[current=page]:bg-press aria-[current=page]:font-[550] aria-[current=page]:text-ink"
            >
              <Icon
                size={16}
                strokeWidth={1.75}
                className="text-ink-3 group-aria-[current=page]:text-link"
              />
              <span>{word}</span>
              {to === '/jobs' && running > 0 && (
                <em className="ml-auto text-small not-italic text-ink-3">{count(running)}</em>
              )}
            </Link>
          </li>
        ))}
      </ul>
      <div className="mt-auto">
        <Level counts={counts ?? null} />
        <Person />
      </div>
    </nav>
  );
}

/** For who belongs to several tenants: all of them, or one. Everything on every page is of that choice. */
function TenantChoice({ tenants }: { tenants: readonly string[] | null }) {
  const app = useApp();
  if (tenants === null || tenants.length === 0) return null;
  const chosen = app.tenant ?? (tenants.length === 1 ? tenants[0] : '');
  return (
    <label className="relative flex h-8 w-full items-center gap-2 rounded-control px-2 hover:bg-hover">
      <span className="grid size-4.5 place-items-center rounded-[5px] bg-water-3 text-axis font-[650] text-on-water">
        {(chosen || 'All').charAt(0).toUpperCase()}
      </span>
      <span className="flex-1 truncate font-medium">{chosen || 'All tenants'}</span>
      <ChevronsUpDown size={13} className="text-ink-3" />
      <select
        aria-label="Tenant"
        className="absolute inset-0 opacity-0"
        value={chosen}
        onChange={(event) => {
          const tenant = event.target.value;
          if (tenant === '') sessionStorage.removeItem('millrace.tenant');
          else sessionStorage.setItem('millrace.tenant', tenant);
          // From the beginning: answers, the live stream and what is half done were of the choice before.
          location.reload();
        }}
      >
        {tenants.length > 1 && <option value="">All tenants</option>}
        {tenants.map((tenant) => (
          <option key={tenant}>{tenant}</option>
        ))}
      </select>
    </label>
  );
}
