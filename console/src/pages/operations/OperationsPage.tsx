import { Link, useSearch } from '@tanstack/react-router';
import { Page } from '../../shell/Page.tsx';
import { TAB, TabBar } from '../../ui/tabs.tsx';
import { Audit } from './Audit.tsx';
import { ErrorGroups } from './ErrorGroups.tsx';
import { HeldBack } from './HeldBack.tsx';
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
      <TabBar label="Operations">
        {(Object.keys(WORDS) as OperationTab[]).map((each) => (
          <Link
            key={each}
            to="/operations"
            activeOptions={{ exact: true }}
            search={each === 'now' ? {} : { tab: each }}
            aria-current={each === tab ? 'page' : undefined}
            className={TAB}
          >
            {WORDS[each]}
          </Link>
        ))}
      </TabBar>
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
          <HeldBack />
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
