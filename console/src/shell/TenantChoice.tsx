import { ChevronsUpDown } from 'lucide-react';
import { useApp } from '../data/client.ts';

/** For who belongs to several tenants: all of them, or one. Everything on every page is of that choice. */
export function TenantChoice({ tenants }: { tenants: readonly string[] | null }) {
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
