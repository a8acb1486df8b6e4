import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { Download, X } from 'lucide-react';
import { useApi } from '../../../data/client.ts';
import { download } from '../../../data/download.ts';
import { keys } from '../../../data/keys.ts';
import { useMay } from '../../../data/roles.ts';
import { Time } from '../../../time/Time.tsx';
import { bytes, plural } from '../../../time/words.ts';
import { Button } from '../../../ui/button.tsx';
import { Empty } from '../../../ui/empty.tsx';
import type { File } from '../types.ts';
import { CELL, HEAD, Listed, ROW } from './table.tsx';

export function Files() {
  const api = useApi();
  const { after, batch, template } = useSearch({ from: '/shell/documents' });
  const query = {
    limit: 50,
    ...(after !== undefined && { cursor: after }),
    ...(batch !== undefined && { batchId: batch }),
    ...(template !== undefined && { templateId: template }),
  };
  const answer = useQuery({
    queryKey: [...keys.files(), query],
    queryFn: () => api.listFiles({ query }),
    placeholderData: keepPreviousData,
  });
  const files = answer.data?.files ?? [];
  const of = batch ?? template;
  return (
    <>
      {of !== undefined && (
        <p className="flex flex-none items-center gap-1 border-b border-line px-6 py-1.5 text-small text-ink-2 max-md:px-4">
          Files of <code>{of}</code>
          <Link
            to="/documents"
            search={{ tab: 'files' }}
            aria-label="All files"
            className="inline-grid size-6 place-items-center rounded-token text-ink-3 hover:bg-hover"
          >
            <X size={14} />
          </Link>
        </p>
      )}
      <Listed
        answer={answer}
        isEmpty={files.length === 0}
        next={answer.data?.next}
        footer={`${plural(files.length, 'file')} on this page, newest first`}
        empty={
          <Empty title={of === undefined ? 'No file yet' : `No file of ${of}`}>
            Documents of batches, and those requested by a button in Salesforce, are listed here
            until they expire.
          </Empty>
        }
      >
        <table className="w-full border-separate border-spacing-0 max-md:block">
          <thead className="max-md:hidden">
            <tr>
              <th className={HEAD}>File</th>
              <th className={HEAD}>Of</th>
              <th className={`${HEAD} text-right`}>Size</th>
              <th className={HEAD}>By</th>
              <th className={`${HEAD} text-right`}>Created</th>
              <th className={`${HEAD} text-right`}>Expires</th>
              <th className={HEAD}>
                <span className="sr-only">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody className="max-md:block">
            {files.map((file) => (
              <FileRow key={file.id} file={file} />
            ))}
          </tbody>
        </table>
      </Listed>
    </>
  );
}

function FileRow({ file }: { file: File }) {
  const api = useApi();
  const may = useMay('downloadFile');
  return (
    <tr className={ROW}>
      <td className={`${CELL} max-w-90`}>
        <span className="block truncate font-medium" title={file.name}>
          {file.name}
        </span>
      </td>
      <td className={`${CELL} whitespace-nowrap text-ink-2`}>
        {file.batchId === null ? (
          <code>{file.templateId ?? '–'}</code>
        ) : (
          <Link
            to="/documents/batches/$id"
            params={{ id: file.batchId }}
            className="text-link hover:underline"
          >
            {file.batchId}
          </Link>
        )}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap text-ink-2 max-md:text-left`}>
        {bytes(file.size)}
      </td>
      <td className={`${CELL} max-w-52 truncate text-ink-2 max-md:hidden`}>
        {file.submitter ?? '–'}
      </td>
      <td className={`${CELL} text-right whitespace-nowrap text-ink-2 max-md:hidden`}>
        <Time at={file.createdAt} />
      </td>
      <td className={`${CELL} text-right whitespace-nowrap text-ink-2 max-md:hidden`}>
        <Time at={file.expiresAt} />
      </td>
      <td className={`${CELL} text-right`}>
        <Button
          size="small"
          icon={<Download size={13} />}
          why={may.why}
          aria-label={`Download ${file.name}`}
          onClick={() =>
            void download(file.name, () => api.downloadFile({ params: { id: file.id } }))
          }
        >
          Download
        </Button>
      </td>
    </tr>
  );
}
