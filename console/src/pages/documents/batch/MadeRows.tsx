import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useApi } from '../../../data/client.ts';
import { download } from '../../../data/download.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { count } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Pager } from '../../../ui/pager.tsx';
import { type Phase, StateText } from '../../../ui/state.tsx';
import { Trouble } from '../../../ui/trouble.tsx';
import { Pdf } from '../pdf/Pdf.tsx';
import type { Batch, Item } from '../types.ts';
import { PaneBody, PaneHead, Panes } from './Panes.tsx';

const PHASES: Readonly<Record<Item['state'], Phase>> = {
  PENDING: 'queued',
  RUNNING: 'running',
  SUCCEEDED: 'succeeded',
  FAILED: 'failed',
  CANCELED: 'canceled',
};

/** All rows in their order, each with its document. */
export function MadeRows({ batch }: { batch: Batch }) {
  const api = useApi();
  const navigate = useNavigate();
  const search = useSearch({ from: '/shell/documents/batches/$id' });
  const answer = useQuery({
    queryKey: [...keys.batch(batch.id), 'items', { after: search.after }],
    queryFn: () =>
      api.listBatchItems({
        params: { id: batch.id },
        query: { limit: 100, ...(search.after !== undefined && { cursor: search.after }) },
      }),
    placeholderData: keepPreviousData,
  });
  const items = answer.data?.items ?? [];
  const shown =
    items.find(({ item }) => item === search.row) ?? items.find(({ fileId }) => fileId !== null);
  const go = (change: { row?: number; after?: string | undefined }): void =>
    void navigate({
      to: '/documents/batches/$id',
      params: { id: batch.id },
      search: { ...search, show: 'all', ...change },
    });
  return (
    <Panes
      page={
        shown === undefined ? (
          <p className="m-auto p-6 text-ink-3">The first document is shown here when it is made.</p>
        ) : (
          <MadePage key={shown.item} item={shown} />
        )
      }
    >
      {answer.isError && (
        <div className="p-6">
          <Trouble error={answer.error} retry={() => void answer.refetch()} />
        </div>
      )}
      <ul>
        {items.map((item) => (
          <li key={item.item} className="border-b border-line-soft">
            <button
              type="button"
              aria-pressed={item.item === shown?.item}
              onClick={() => go({ row: item.item })}
              className="grid min-h-9 w-full grid-cols-[4rem_8rem_minmax(0,1fr)] items-center gap-2 px-6 py-1.5 text-left hover:bg-hover aria-pressed:bg-brand-tint max-md:grid-cols-[3rem_minmax(0,1fr)] max-md:px-4"
            >
              <span className="text-right text-ink-3">{count(item.item)}</span>
              <StateText phase={PHASES[item.state]} />
              <span className="truncate text-ink-2 max-md:col-start-2">
                {item.name !== null && <span className="text-ink">{item.name} </span>}
                {item.error?.message ?? item.warning ?? ''}
              </span>
            </button>
          </li>
        ))}
      </ul>
      <footer className="flex items-center justify-end gap-2 px-6 py-2">
        <Pager
          isFirst={search.after === undefined}
          next={answer.data?.next}
          onNext={(after) => go({ after })}
        />
      </footer>
    </Panes>
  );
}

function MadePage({ item }: { item: Item }) {
  const api = useApi();
  const may = useMay('downloadFile');
  const { fileId } = item;
  const file = useQuery({
    queryKey: ['file-bytes', fileId],
    queryFn: async () => {
      const response = await api.downloadFile({ params: { id: fileId ?? '' } });
      const isPdf = response.headers.get('content-type')?.startsWith('application/pdf') === true;
      return isPdf ? new Uint8Array(await response.arrayBuffer()) : null;
    },
    enabled: fileId !== null && may.allowed,
    staleTime: Infinity,
  });
  return (
    <>
      <PaneHead>
        <b className="truncate">{item.name ?? `Row ${count(item.item)}`}</b>
        <span className="flex-none text-ink-2">
          {item.name === null ? '' : `row ${count(item.item)}, `}line {count(item.line)}
        </span>
        <span className="flex-1" />
        <Button
          size="small"
          icon={<Download size={13} />}
          why={may.why ?? (fileId === null ? 'It has no document.' : null)}
          onClick={() =>
            void download(item.name ?? `row-${item.item}.pdf`, () =>
              api.downloadFile({ params: { id: fileId ?? '' } }),
            )
          }
        >
          Download
        </Button>
      </PaneHead>
      <PaneBody isBusy={file.isFetching}>
        {item.warning !== null && (
          <p className="mb-3 rounded-control bg-retrying-tint px-3 py-2">{item.warning}</p>
        )}
        {item.error !== null && (
          <p className="mb-3 rounded-control bg-failed-tint px-3 py-2">
            {item.error.message} <code className="text-ink-3">{item.error.code}</code>
          </p>
        )}
        {may.why !== null && <p className="text-ink-2">{may.why}</p>}
        {file.isError && <Trouble error={file.error} />}
        {file.data === null && <p className="text-ink-2">It is a DOCX. Download it to read it.</p>}
        {file.data != null && <Pdf bytes={file.data} name={`Row ${item.item}`} />}
      </PaneBody>
    </>
  );
}
