import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { download } from '../../data/download.ts';
import { useMay } from '../../data/roles.ts';
import { useNow } from '../../time/now.ts';
import { count, span } from '../../time/words.ts';
import { Button } from '../../ui/button.tsx';
import { OwnCode } from '../../ui/own-code.tsx';
import { StateText } from '../../ui/state.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { STEP_PHASES, type Step } from './pipelines.ts';

const COLUMNS: readonly Column<Step>[] = [
  { name: 'State', cell: ({ state }) => <StateText phase={STEP_PHASES[state]} word={state} /> },
  { name: 'Step', cell: (step) => <Named step={step} /> },
  { name: 'Output', wide: true, cell: (step) => <StepOutput step={step} /> },
  { name: 'Files', align: 'right', cell: (step) => <Files step={step} /> },
  { name: 'Took', align: 'right', cell: (step) => <Took step={step} /> },
  {
    name: 'Job',
    align: 'right',
    wide: true,
    cell: ({ jobId }) =>
      jobId !== null && (
        <Link to="/jobs/$id" params={{ id: jobId }} className="text-link hover:underline">
          {jobId}
        </Link>
      ),
  },
];

/** The same as the graph as a list: for the keyboard, for print, for a phone. */
export function Steps({ steps }: { steps: readonly Step[] }) {
  return <Table label="Steps" columns={COLUMNS} rows={steps} keyOf={({ name }) => name} />;
}

function Named({ step: { title, type, when, after, error } }: { step: Step }) {
  return (
    <div className="min-w-0">
      <b className="font-[550]">{title}</b> <span className="text-ink-3">{type}</span>
      <div className="max-w-110 text-small text-ink-2">
        {error !== null ? (
          <>
            <OwnCode error={error} /> {error.message}
          </>
        ) : (
          [after.length > 0 && `after ${after.join(' and ')}`, when !== null && `when ${when}`]
            .filter(Boolean)
            .join(', ')
        )}
      </div>
    </div>
  );
}

function StepOutput({ step: { output, progress } }: { step: Step }) {
  if (output !== null) {
    return (
      <span className="text-ink-2">
        {Object.entries(output)
          .flatMap(([name, value]) =>
            value === null
              ? []
              : [`${name} ${typeof value === 'number' ? count(value) : String(value)}`],
          )
          .slice(0, 3)
          .join(', ')}
      </span>
    );
  }
  if (progress === null) return <span className="text-ink-3">–</span>;
  return (
    <span>
      {progress.total === null
        ? count(progress.done)
        : `${count(progress.done)} of ${count(progress.total)}`}
    </span>
  );
}

/** The download of a step: the file of a report, the documents of a batch, the rows of a query. */
function Files({ step: { state, thing } }: { step: Step }) {
  const api = useApi();
  const may = useMay('downloadReportFile');
  if (state !== 'done' || thing === null) return null;
  const params = { id: thing.id };
  const kept = {
    '/reports/runs/': { name: thing.id, open: () => api.downloadReportFile({ params }) },
    '/batches/': { name: `${thing.id}.zip`, open: () => api.downloadBatch({ params }) },
    '/runs/': {
      name: `${thing.id}.csv`,
      open: () => api.downloadRunResults({ params: { ...params, format: 'csv' } }),
    },
  };
  const found = Object.entries(kept).find(([path]) => thing.link === `${path}${thing.id}`)?.[1];
  if (found === undefined) return null;
  return (
    <Button
      size="small"
      look="ghost"
      icon={<Download size={13} />}
      why={may.why}
      onClick={() => void download(found.name, found.open)}
    >
      Download
    </Button>
  );
}

function Took({ step: { startedAt, finishedAt } }: { step: Step }) {
  const now = useNow();
  if (startedAt === null) return <span className="text-ink-3">–</span>;
  return (
    <span className="whitespace-nowrap text-ink-2">
      {span((finishedAt === null ? now : Date.parse(finishedAt)) - Date.parse(startedAt))}
    </span>
  );
}
