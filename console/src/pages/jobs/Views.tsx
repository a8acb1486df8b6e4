import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { Plus, Star, X } from 'lucide-react';
import { useState } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { useSaving, useSaved, wrongName } from '../../data/saved.ts';
import { count } from '../../time/words.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, TextInput } from '../../ui/field.tsx';
import { TAB, TabBar } from '../../ui/tabs.tsx';
import { type JobsSearch, jobsSearch, nameOf, sameList } from './search.ts';

interface View {
  readonly word: string;
  readonly search: JobsSearch;
  readonly count?: (counts: {
    states: Readonly<Record<string, number>>;
    scheduled: number;
  }) => number;
}

const VIEWS: readonly View[] = [
  { word: 'All', search: {} },
  {
    word: 'Running',
    search: { phase: 'running' },
    count: ({ states }) => states['PROCESSING'] ?? 0,
  },
  { word: 'Waiting', search: { state: 'QUEUED' }, count: ({ states }) => states['QUEUED'] ?? 0 },
  { word: 'Retrying', search: { phase: 'retrying' } },
  { word: 'Failed', search: { phase: 'failed' }, count: ({ states }) => states['FAILED'] ?? 0 },
  { word: 'Mine', search: { submitter: 'me' } },
];

/** Lists that people look at again and again: those that everybody has, then their own. */
export function Views({ search }: { search: JobsSearch }) {
  const api = useApi();
  const { data } = useQuery({ queryKey: keys.counts(), queryFn: () => api.counts() });
  const { after: _, bulk: _bulk, ...shown } = search;
  const own = useSaved('views', jobsSearch);
  const { remove } = useSaving('views');
  const isKnown = [
    ...VIEWS.map((view) => view.search),
    ...(own ?? []).map(({ value }) => value),
  ].some((each) => sameList(each, shown));
  return (
    <TabBar label="Views">
      {VIEWS.map((view) => (
        <ViewLink key={view.word} word={view.word} search={view.search} shown={shown}>
          {view.count !== undefined && data !== undefined && (
            <span className="font-normal text-ink-3">{count(view.count(data))}</span>
          )}
        </ViewLink>
      ))}
      {own?.map((thing) => (
        <span key={`own ${thing.name}`} className="flex flex-none items-center gap-0.5">
          <ViewLink
            icon={<Star size={13} className="text-ink-3" aria-hidden="true" />}
            word={thing.name}
            search={thing.value}
            shown={shown}
          />
          {sameList(thing.value, shown) && (
            <IconButton
              label={`Delete the view ${thing.name}`}
              className="size-6"
              onClick={() => void remove(thing)}
            >
              <X size={13} />
            </IconButton>
          )}
        </span>
      ))}
      {own !== undefined && !isKnown && <SaveView search={shown} />}
    </TabBar>
  );
}

function ViewLink({
  icon,
  word,
  search,
  shown,
  children,
}: {
  icon?: React.ReactNode;
  word: string;
  search: JobsSearch;
  shown: JobsSearch;
  children?: React.ReactNode;
}) {
  return (
    <Link
      to="/jobs"
      activeOptions={{ exact: true }}
      search={search}
      aria-current={sameList(search, shown) ? 'page' : undefined}
      className={TAB}
    >
      {icon}
      {word}
      {children}
    </Link>
  );
}

/** Gives the filter that is shown a name, and a place among the views. */
function SaveView({ search }: { search: JobsSearch }) {
  const may = useMay('putSaved');
  const { save } = useSaving('views');
  const [name, setName] = useState<string | null>(null);
  const wrong = name === null ? null : wrongName(name);
  const done = async (): Promise<void> => {
    if (name !== null && wrong === null && (await save(name, search))) setName(null);
  };
  return (
    <>
      <Button
        size="small"
        look="ghost"
        icon={<Plus size={13} />}
        why={may.why}
        className="ml-auto self-center"
        onClick={() => setName(nameOf(search))}
      >
        Save view
      </Button>
      {name !== null && (
        <Dialog
          title="Save this view"
          onClose={() => setName(null)}
          footer={
            <>
              <Button onClick={() => setName(null)}>Back</Button>
              <Button look="filled" why={wrong} onClick={() => void done()}>
                Save
              </Button>
            </>
          }
        >
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void done();
            }}
          >
            <Field
              id="view-name"
              label="Name"
              wrong={wrong}
              hint="Only you see it, wherever you sign in. Saving under an existing name replaces that view."
            >
              <TextInput
                id="view-name"
                value={name}
                autoFocus
                aria-invalid={wrong !== null}
                aria-describedby="view-name-note"
                onChange={(event) => setName(event.target.value)}
              />
            </Field>
          </form>
        </Dialog>
      )}
    </>
  );
}
