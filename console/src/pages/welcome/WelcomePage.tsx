import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useApi } from '../../data/client.ts';
import { useMay } from '../../data/roles.ts';
import { Page } from '../../shell/Page.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { toast } from '../../ui/toast.tsx';

/** For who is here for the first time: a query, a report and a document within a minute, on the sample data of the sandbox. */
export function WelcomePage() {
  return (
    <Page title="First steps">
      <div className="mx-auto grid max-w-220 gap-6 p-6 max-md:p-4">
        <p className="text-lead text-ink-2">
          Work comes in, waits in a pond, turns a wheel of slots and flows out. Three kinds of work
          ship with Millrace; each step here does one of them for real.
        </p>
        <ol className="grid grid-cols-3 gap-4 max-md:grid-cols-1">
          <Step number={1} title="Run a query" action={<RunQuery />}>
            SQL on Marketing Cloud. It runs without holding a worker, and its rows appear in a grid.
          </Step>
          <Step number={2} title="Export a report" action={<RunReport />}>
            SQL on Postgres, written in chunks that survive a crash. Download it as CSV or XLSX.
          </Step>
          <Step
            number={3}
            title="Make a document"
            action={<ButtonLink to="/documents">Open documents</ButtonLink>}
          >
            A DOCX template and a spreadsheet make one PDF for each row. You see every gap before it
            runs.
          </Step>
        </ol>
        <p className="text-ink-2">
          Then declare a kind of your own in <code>jobs/</code> and{' '}
          <Link to="/jobs/new" className="text-link underline">
            enqueue it
          </Link>
          , or stay in the terminal: <code>npx millrace help</code>.
        </p>
      </div>
    </Page>
  );
}

function Step({
  number,
  title,
  action,
  children,
}: {
  number: number;
  title: string;
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="flex flex-col gap-2 rounded-node border border-line p-4">
      <span className="grid size-6 place-items-center rounded-full bg-brand-tint text-small font-semibold text-link">
        {number}
      </span>
      <h2>{title}</h2>
      <p className="flex-1 text-ink-2">{children}</p>
      <div>{action}</div>
    </li>
  );
}

function RunQuery() {
  const api = useApi();
  const navigate = useNavigate();
  const may = useMay('startRun');
  const start = useMutation({
    mutationFn: () =>
      api.startRun({ body: { sql: 'SELECT TOP 20 JobID, EmailName FROM _Job ORDER BY JobID' } }),
    onSuccess: ({ id }) => void navigate({ to: '/queries', search: { run: id } }),
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
  });
  return (
    <Button look="filled" why={may.why} disabled={start.isPending} onClick={() => start.mutate()}>
      Run it
    </Button>
  );
}

function RunReport() {
  const api = useApi();
  const navigate = useNavigate();
  const may = useMay('startReport');
  const start = useMutation({
    mutationFn: async () => {
      const { reports } = await api.listReports();
      const first = reports.find(({ parameters }) => parameters.every(({ required }) => !required));
      if (first === undefined)
        throw new Error('No report runs without parameters. Choose one in the list.');
      await api.startReport({ params: { name: first.name }, body: {} });
      return first.name;
    },
    onSuccess: (name) => void navigate({ to: '/reports/$name', params: { name } }),
    onError: (error) => toast({ text: error.message, phase: 'failed' }),
  });
  return (
    <Button why={may.why} disabled={start.isPending} onClick={() => start.mutate()}>
      Export it
    </Button>
  );
}
