import { useQueries, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useApi, useApp } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/roles.ts';
import { Choice, Field } from '../../ui/field.tsx';
import type { Suggested } from '../../ui/parameters.tsx';
import { RunForm } from '../../ui/runs/RunForm.tsx';
import { Heading } from '../../ui/table.tsx';
import { toast } from '../../ui/toast.tsx';
import { FileProblems } from './FileProblems.tsx';
import { Runs } from './Runs.tsx';
import { Ticks } from './Ticks.tsx';
import type { Report } from './reports.ts';

export function ReportView({ report }: { report: Report }) {
  return (
    <>
      <FileProblems problems={report.problems} />
      <div className="grid min-h-full grid-cols-[minmax(0,1fr)_296px] max-lg:block">
        <div>
          <NewRun report={report} />
          <RunsOf report={report} />
        </div>
        <aside className="border-l border-line px-5 py-4 max-lg:border-t max-lg:border-l-0">
          <Facts report={report} />
          <Ticks schedules={report.schedules.map(({ name }) => name)} />
        </aside>
      </div>
    </>
  );
}

function NewRun({ report }: { report: Report }) {
  const api = useApi();
  const { queries } = useApp();
  const may = useMay('startReport');
  const [format, setFormat] = useState(report.formats[0] ?? 'csv');
  const suggested = useSuggested(report);
  return (
    <RunForm
      className="px-6 py-4 max-md:px-4"
      parameters={report.parameters}
      description={report.description}
      why={may.why}
      start={(parameters) =>
        api.startReport({ params: { name: report.name }, body: { parameters, format } })
      }
      suggested={suggested}
      onStarted={({ id }) => {
        toast({
          text: `${report.title} runs`,
          phase: 'running',
          undo: () => api.cancelReportRun({ params: { id } }),
        });
        void queries.invalidateQueries({ queryKey: keys.reportRuns() });
      }}
      beside={
        <Field id="format" label="As">
          <Choice
            id="format"
            value={format}
            className="w-28"
            onChange={(event) => setFormat(event.target.value as typeof format)}
          >
            {report.formats.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </Choice>
        </Field>
      }
      after={<span className="pb-1.5 text-small text-ink-3">{report.rowsForYou}</span>}
    />
  );
}

/** Values of its parameters to choose from, by their names. Without them a form is filled in by hand. */
function useSuggested({ name, parameters }: Report): Suggested {
  const api = useApi();
  const asked = parameters.filter(({ suggests }) => suggests).map((each) => each.name);
  const answers = useQueries({
    queries: asked.map((parameter) => ({
      queryKey: ['suggestions', name, parameter],
      queryFn: () => api.suggestReportValues({ params: { name, parameter } }),
      staleTime: 60_000,
      retry: false,
    })),
  });
  return Object.fromEntries(
    asked.map((parameter, index) => [parameter, answers[index]?.data?.values ?? []]),
  );
}

function RunsOf({ report: { name } }: { report: Report }) {
  const api = useApi();
  const { data } = useQuery({
    queryKey: [...keys.reportRuns(), name],
    queryFn: () => api.listReportRuns({ query: { report: name, limit: '20' } }),
    refetchInterval: ({ state }) =>
      state.data?.runs.some((run) => run.state === 'PROCESSING') === true ? 2_000 : 30_000,
  });
  return (
    <section className="border-t border-line pt-3">
      <Heading title="Runs" note="newest first" />
      {data?.runs.length === 0 ? (
        <p className="px-6 py-2 text-ink-3 max-md:px-4">It has not run yet.</p>
      ) : (
        <Runs runs={data?.runs ?? []} />
      )}
    </section>
  );
}

function Facts({ report: { file, key, rowRules, after, public: isPublic } }: { report: Report }) {
  return (
    <section>
      <h2 className="mb-1.5">Facts</h2>
      <dl className="grid grid-cols-[84px_minmax(0,1fr)] gap-y-1">
        <dt className="text-ink-3">File</dt>
        <dd>
          <code className="break-all">{file}</code>
        </dd>
        <dt className="text-ink-3">Key</dt>
        <dd>
          <code className="break-all">{key.join(', ')}</code>
        </dd>
        <dt className="text-ink-3">Rows</dt>
        <dd>
          {isPublic
            ? 'Everybody sees all rows.'
            : rowRules.map((rule) => <div key={rule}>{rule}</div>)}
        </dd>
        {after.length > 0 && (
          <>
            <dt className="text-ink-3">After</dt>
            <dd>
              {after.map((rule) => (
                <div key={rule}>{rule}</div>
              ))}
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}
