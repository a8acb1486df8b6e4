import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { download } from '../../data/download.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Ago, Time } from '../../time/Time.tsx';
import { bytes, count, percent, plural, span } from '../../time/words.ts';
import { Button } from '../../ui/button.tsx';
import { OwnCode } from '../../ui/own-code.tsx';
import { Progress } from '../../ui/progress.tsx';
import { CancelOrResume } from '../../ui/runs/CancelOrResume.tsx';
import { parametersInWords } from '../../ui/parameters.tsx';
import { StateText } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { type Run, phaseOfRun } from './reports.ts';

const COLUMNS: readonly Column<Run>[] = [
  { name: 'State', cell: (run) => <StateText phase={phaseOfRun(run)} /> },
  { name: 'Run', cell: (run) => <What run={run} /> },
  { name: 'Rows', cell: (run) => <HowFar run={run} /> },
  {
    name: 'Began',
    wide: true,
    align: 'right',
    cell: ({ createdAt }) => <Time at={createdAt} className="text-ink-2" />,
  },
  { name: '', align: 'right', cell: (run) => <Actions run={run} /> },
];

export function Runs({ runs }: { runs: readonly Run[] }) {
  return <Table label="Runs" columns={COLUMNS} rows={runs} keyOf={({ id }) => id} />;
}

function What({ run: { id, parameters, submitter, schedule } }: { run: Run }) {
  const by = schedule === null ? submitter : 'by the clock';
  return (
    <div className="min-w-0">
      <Link to="/jobs/$id" params={{ id }} className="text-link hover:underline">
        {id}
      </Link>
      <div className="max-w-100 truncate text-small text-ink-2 max-md:max-w-40">
        {[by, parametersInWords(parameters) || 'no parameters'].filter(Boolean).join(', ')}
      </div>
    </div>
  );
}

/** Progress by chunk while it runs; what it gave afterwards. */
function HowFar({ run: { state, progress, result, error, format } }: { run: Run }) {
  if (result !== null) {
    return (
      <span>
        {count(result.rows)}{' '}
        <span className="text-small whitespace-nowrap text-ink-3">
          {format}, {bytes(result.bytes)}
        </span>
        {result.note !== null && (
          <span className="block max-w-80 text-small text-retrying">{result.note}</span>
        )}
      </span>
    );
  }
  if (error !== null && state !== 'PROCESSING') {
    return (
      <span className="block max-w-90 truncate" title={error.message}>
        <OwnCode error={error} /> {error.message}
      </span>
    );
  }
  if (progress === null) return <span className="text-ink-3">–</span>;
  const { rows, chunks, percent: part, etaSeconds } = progress;
  return (
    <span className="block max-w-70">
      <span className="flex justify-between gap-3 text-small">
        <span>
          {count(rows)} in {plural(chunks, 'chunk')}
        </span>
        <span className="text-ink-3">
          {[
            part === null ? null : percent(part / 100, 0),
            etaSeconds === null ? null : `${span(etaSeconds * 1000)} left`,
          ]
            .filter((each) => each !== null)
            .join(', ')}
        </span>
      </span>
      <Progress
        parts={[part === null ? { of: 'running', count: 1 } : { of: 'done', count: part }]}
        total={part === null ? 1 : 100}
        label={`${count(rows)} rows`}
        width={100}
      />
    </span>
  );
}

function Actions({ run: { id, state, result } }: { run: Run }) {
  const api = useApi();
  const may = useMay('cancelReportRun');
  const params = { params: { id } };
  if (state !== 'SUCCEEDED' || result === null)
    return (
      <CancelOrResume
        isOver={state !== 'QUEUED' && state !== 'PROCESSING'}
        why={may.why}
        stale={keys.reportRuns()}
        cancel={() => api.cancelReportRun(params)}
        resume={() => api.retryReportRun(params)}
      />
    );
  return (
    <span className="inline-flex flex-col items-end">
      <Button
        size="small"
        icon={<Download size={13} />}
        why={may.why ?? (result.available ? null : 'The file has expired or was removed.')}
        onClick={() =>
          void download(result.fileName, () => api.downloadReportFile(params), { large: true })
        }
      >
        Download
      </Button>
      {result.available && result.expiresAt !== null && (
        <span className="text-axis text-ink-3">
          expires <Ago at={result.expiresAt} />
        </span>
      )}
    </span>
  );
}
