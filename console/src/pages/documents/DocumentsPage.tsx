import { Link, useSearch } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { Page } from '../../shell/Page.tsx';
import { ButtonLink } from '../../ui/button.tsx';
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
      <nav
        aria-label="Documents"
        className="flex flex-none gap-6 overflow-x-auto border-b border-line px-6 max-md:gap-4 max-md:px-4"
      >
        {TABS.map((each) => (
          <Link
            key={each.tab}
            to="/documents"
            search={{ tab: each.tab }}
            aria-current={each.tab === tab ? 'page' : undefined}
            className="flex h-11 flex-none items-center whitespace-nowrap text-ink-2 hover:text-ink aria-[current=page]:font-[550] aria-[current=page]:text-ink aria-[current=page]:shadow-[inset_0_-2px_0_var(--link)]"
          >
            {each.word}
          </Link>
        ))}
      </nav>
      {tab === 'batches' && <Batches />}
      {tab === 'templates' && <Templates />}
      {tab === 'files' && <Files />}
    </Page>
  );
}
