import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import type { ReactNode } from 'react';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { type Permission, useMay } from '../../data/roles.ts';
import { Page } from '../../shell/Page.tsx';
import { Button, ButtonLink } from '../../ui/button.tsx';
import type { Client } from '@millrace/api';

/**
 * For who is here for the first time: a document, a query and a report within a minute. Each step does its work for real and goes
 * to where its result appears; what has been done once has its mark.
 */
export function WelcomePage() {
  return (
    <Page title="First steps">
      <div className="mx-auto grid max-w-220 gap-6 p-6 max-md:p-4">
        <p className="text-lead text-ink-2">
          Millrace ships with three kinds of work. Each step here runs one of them for real, in a
          few seconds.
        </p>
        <ol className="grid grid-cols-3 gap-4 max-md:grid-cols-1">
          <MakeLetters />
          <RunQuery />
          <ExportReport />
        </ol>
        <p className="text-ink-2">
          Then declare a kind of your own in <code>jobs/</code> and{' '}
          <Link to="/jobs/new" className="text-link underline">
            enqueue it
          </Link>
          , or stay in the terminal: <code>npx millrace help</code>. This page stays in the menu
          under your name.
        </p>
      </div>
    </Page>
  );
}

function MakeLetters() {
  const api = useApi();
  const navigate = useNavigate();
  const mayMake = useMay('createBatch');
  const mayAdd = useMay('addTemplate');
  const batches = useQuery({
    queryKey: [...keys.batches(), 'first'],
    queryFn: () => api.listBatches({ query: { limit: 1 } }),
  });
  const templates = useQuery({
    queryKey: [...keys.templates(), 'first'],
    queryFn: () => api.listTemplates(),
  });
  const isThere = templates.data?.templates.some(({ name }) => name === SAMPLE_TEMPLATE) ?? false;
  return (
    <Step
      number={1}
      title="Generate documents"
      word="Generate the letters"
      may={mayMake.allowed && !isThere ? mayAdd : mayMake}
      isDone={(batches.data?.batches.length ?? 0) > 0}
      work={() => makeLetters(api)}
      onDone={(id) => void navigate({ to: '/documents/batches/$id', params: { id } })}
      other={<ButtonLink to="/documents/new">With your own files</ButtonLink>}
    >
      A Word template and a spreadsheet give one PDF per row. Here: letters to the candidates of a
      furniture maker.
    </Step>
  );
}

function RunQuery() {
  const api = useApi();
  const navigate = useNavigate();
  const runs = useQuery({
    queryKey: [...keys.queryRuns(), 'first'],
    queryFn: () => api.listRuns({ query: { limit: 1 } }),
  });
  return (
    <Step
      number={2}
      title="Run a query"
      word="Run it"
      may={useMay('startRun')}
      isDone={(runs.data?.runs.length ?? 0) > 0}
      work={() => runQuery(api)}
      onDone={(run) => void navigate({ to: '/queries', search: { run } })}
      other={<ButtonLink to="/queries">Write your own</ButtonLink>}
    >
      SQL on Marketing Cloud. It runs without holding a worker, and its rows appear in a grid.
    </Step>
  );
}

function ExportReport() {
  const api = useApi();
  const navigate = useNavigate();
  const runs = useQuery({
    queryKey: [...keys.reportRuns(), 'first'],
    queryFn: () => api.listReportRuns({ query: { limit: 1 } }),
  });
  return (
    <Step
      number={3}
      title="Export a report"
      word="Export it"
      may={useMay('startReport')}
      isDone={(runs.data?.runs.length ?? 0) > 0}
      work={() => exportReport(api)}
      onDone={(name) => void navigate({ to: '/reports/$name', params: { name } })}
      other={<ButtonLink to="/reports">Choose a report</ButtonLink>}
    >
      SQL on Postgres, written in chunks that survive a crash. Download it as CSV or XLSX.
    </Step>
  );
}

function Step({
  number,
  title,
  word,
  may,
  isDone,
  work,
  onDone,
  other,
  children,
}: {
  readonly number: number;
  readonly title: string;
  /** The label of the button. */
  readonly word: string;
  readonly may: Permission;
  /** It was done at least once, by whomever. */
  readonly isDone: boolean;
  /** Gives the name of what to look at. */
  work(): Promise<string>;
  onDone(name: string): void;
  /** Where to do the same with things of one's own. */
  readonly other: ReactNode;
  readonly children: ReactNode;
}) {
  const start = useMutation({ mutationFn: work, onSuccess: onDone });
  return (
    <li className="flex flex-col gap-2 rounded-node border border-line p-4">
      <span
        className={`grid size-6 place-items-center rounded-full text-small font-semibold ${isDone ? 'bg-succeeded-tint text-succeeded' : 'bg-brand-tint text-link'}`}
      >
        {isDone ? <Check size={14} aria-label="Done" /> : number}
      </span>
      <h2>{title}</h2>
      <p className="flex-1 text-ink-2">{children}</p>
      {start.isError && (
        <p role="alert" className="text-failed">
          {start.error.message}
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        <Button
          look={isDone ? 'plain' : 'filled'}
          why={may.why}
          disabled={start.isPending}
          onClick={() => start.mutate()}
        >
          {start.isPending ? 'Running…' : word}
        </Button>
        {other}
      </div>
    </li>
  );
}

const DOCX_TYPE = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
/** The template and the spreadsheet that the documentation uses too. */
const TEMPLATE = new URL('../../../../examples/offer-letter/template.docx', import.meta.url);
const CANDIDATES = new URL('../../../../examples/offer-letter/candidates.csv', import.meta.url);
const SAMPLE_TEMPLATE = 'offer-letter';

/** One letter for each candidate; the template is added unless there is one of its name. Gives the batch. */
async function makeLetters(api: Client): Promise<string> {
  const { templates } = await api.listTemplates();
  if (!templates.some(({ name }) => name === SAMPLE_TEMPLATE)) {
    const bytes = await bytesOf(TEMPLATE);
    await api.addTemplate({
      params: { id: SAMPLE_TEMPLATE },
      upload: { type: DOCX_TYPE, bytes },
    });
  }
  const { id } = await api.createBatch({
    query: {
      templateId: SAMPLE_TEMPLATE,
      outputFileName: 'Offer to {{Candidate.Name}}',
      locale: 'en-GB',
      dataLocale: 'en-US',
      // The spreadsheet has no column for the signature and the list of benefits.
      allowMissing: 'true',
    },
    upload: { type: 'text/csv', bytes: await bytesOf(CANDIDATES) },
  });
  return id;
}

/** Gives the run. */
async function runQuery(api: Client): Promise<string> {
  const sql = 'SELECT TOP 20 JobID, EmailName FROM _Job ORDER BY JobID';
  return (await api.startRun({ body: { sql } })).id;
}

/** The first report that asks for nothing. Gives its name. */
async function exportReport(api: Client): Promise<string> {
  const { reports } = await api.listReports();
  const first = reports.find(({ parameters }) => parameters.every(({ required }) => !required));
  if (first === undefined)
    throw new Error(
      reports.length === 0
        ? 'No reports yet: put a file into reports/.'
        : 'Every report has required parameters. Choose one and fill in its form.',
    );
  await api.startReport({ params: { name: first.name }, body: {} });
  return first.name;
}

async function bytesOf(url: URL): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url.pathname} did not come`);
  return response.arrayBuffer();
}
