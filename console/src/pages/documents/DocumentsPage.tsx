import { Link, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Page } from '../../shell/Page.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { TAB, TabBar } from '../../ui/tabs.tsx';
import { Batches } from './list/Batches.tsx';
import { Files } from './list/Files.tsx';
import { Templates } from './list/Templates.tsx';

const TABS = [
  { tab: 'batches', word: 'Batches' },
  { tab: 'templates', word: 'Templates' },
  { tab: 'files', word: 'Files' },
] as const;

/** Batches, templates and files. Which of them is in the address. */
export function DocumentsPage() {
  const { tab = 'batches' } = useSearch({ from: '/shell/documents' });
  return (
    <Page
      title="Documents"
      live
      scrolls={false}
      actions={
        <ButtonLink to="/documents/new" look="filled" icon={<Plus size={14} />}>
          New batch
        </ButtonLink>
      }
    >
      <TabBar label="Documents">
        {TABS.map((each) => (
          <Link
            key={each.tab}
            to="/documents"
            search={{ tab: each.tab }}
            aria-current={each.tab === tab ? 'page' : undefined}
            className={TAB}
          >
            {each.word}
          </Link>
        ))}
      </TabBar>
      {tab === 'batches' && <Batches />}
      {tab === 'templates' && <Templates />}
      {tab === 'files' && <Files />}
    </Page>
  );
}
