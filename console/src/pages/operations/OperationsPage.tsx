import { Link, useSearch } from '@tanstack/react-router';
import { Page } from '../../shell/Page.tsx';
import { Audit } from './Audit.tsx';
import { ErrorGroups } from './ErrorGroups.tsx';
import { Kinds } from './Kinds.tsx';
import { Replicas } from './Replicas.tsx';
import { Sandbox } from './Sandbox.tsx';
import { Schedules } from './Schedules.tsx';
import { Settings } from './Settings.tsx';
import type { OperationTab } from './tabs.ts';
import { Tenants } from './Tenants.tsx';

const WORDS: Readonly<Record<OperationTab, string>> = {
  now: 'Replicas and errors',
  schedules: 'Schedules',
  kinds: 'Kinds',
  audit: 'Audit',
  tenants: 'Tenants',
  settings: 'Settings',
  sandbox: 'Sandbox',
};

/** For who is paged: what is dead, what fails and why, what is held back, who did what. */
export function OperationsPage() {
  const { tab = 'now' } = useSearch({ from: '/shell/operations' });
  return (
    <Page title="Operations" live>
      <nav
        aria-label="Operations"
        className="flex gap-6 overflow-x-auto border-b border-line px-6 max-md:gap-4 max-md:px-4"
      >
        {(Object.keys(WORDS) as OperationTab[]).map((each) => (
          <Link
            key={each}
            to="/operations"
            activeOptions={{ exact: true }}
            search={each === 'now' ? {} : { tab: each }}
            aria-current={each === tab ? 'page' : undefined}
            className="flex h-11 flex-none items-center whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:font-[550] aria-[current=page]:text-ink aria-[current=page]:shadow-[inset_0_-2px_0_var(--link)]"
          >
            {WORDS[each]}
          </Link>
        ))}
      </nav>
      <div className="py-3">
        <Shown tab={tab} />
      </div>
    </Page>
  );
}

function Shown({ tab }: { tab: OperationTab }) {
  switch (tab) {
    case 'now':
      return (
        <>
          <Replicas />
          <ErrorGroups />
        </>
      );
    case 'schedules':
      return <Schedules />;
    case 'kinds':
      return <Kinds />;
    case 'audit':
      return <Audit />;
    case 'tenants':
      return <Tenants />;
    case 'settings':
      return <Settings />;
    case 'sandbox':
      return <Sandbox />;
  }
}
