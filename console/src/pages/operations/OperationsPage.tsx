import { Link, useSearch } from '@tanstack/react-router';
import { Page } from '../../shell/Page.tsx';
import { TAB, TabBar } from '../../ui/tabs.tsx';
import { Audit } from './Audit.tsx';
import { ErrorGroups } from './ErrorGroups.tsx';
import { HeldBack } from './HeldBack.tsx';
import { Kinds } from './Kinds.tsx';
import { Replicas } from './Replicas.tsx';
import { Schedules } from './Schedules.tsx';
import { Settings } from './Settings.tsx';
import type { OperationTab } from './tabs.ts';
import { Tenants } from './Tenants.tsx';
import { useQuery } from '@tanstack/react-query';
import { ExternalLink } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { Empty } from '../../ui/empty.tsx';
import { Heading } from '../../ui/table.tsx';

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

/** Links to the simulators beside the server, where faults can be switched on. */
function Sandbox() {
  const api = useApi();
  const { data } = useQuery({ queryKey: ['sandbox'], queryFn: () => api.sandboxPages() });
  if (data?.pages.length === 0)
    return (
      <Empty title="No simulators">
        In the sandbox, this page links to the simulated Salesforce org, Marketing Cloud account and
        issuer, and to the faults you can switch on there.
      </Empty>
    );
  return (
    <section>
      <Heading title="Simulators" note="they exist on this machine alone" />
      <ul className="px-6 max-md:px-4">
        {data?.pages.map(({ name, url, what }) => (
          <li key={url} className="border-t border-line-soft py-2.5">
            <a
              href={url}
              target="_blank"
              rel="noreferrer"
              className="inline-flex items-center gap-1.5 font-[550] text-link hover:underline"
            >
              {name} <ExternalLink size={13} />
            </a>
            <p className="text-ink-2">{what}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}
