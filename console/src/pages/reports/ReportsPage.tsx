import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { Page } from '../../shell/Page.tsx';
import { plural } from '../../time/words.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CataloguePanes } from '../../ui/catalogue.tsx';
import { Empty } from '../../ui/empty.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { FileProblems } from './FileProblems.tsx';
import { ReportView } from './ReportView.tsx';
import { keys } from '../../data/keys.ts';
import { Graph } from '../../ui/graph.tsx';
import { phaseOfRun } from './reports.ts';

/** Reports on the left; one report beside them: form, runs, schedule. */
export function ReportsPage() {
  const api = useApi();
  const { name } = useParams({ strict: false });
  const { view } = useSearch({ strict: false });
  const answer = useQuery({ queryKey: ['reports'], queryFn: () => api.listReports() });
  const reports = answer.data?.reports ?? [];
  const shown =
    reports.find((report) => report.name === name) ?? (name === undefined ? reports[0] : undefined);
  return (
    <Page
      title={view === 'graph' ? 'Dependencies of reports' : (shown?.title ?? 'Reports')}
      crumbs={[{ word: 'Reports', link: { to: '/reports' } }]}
      live
      scrolls={false}
      actions={
        <ButtonLink
          to="/reports"
          search={view === 'graph' ? {} : { view: 'graph' }}
          icon={<Workflow size={14} />}
        >
          {view === 'graph' ? 'Reports' : 'Graph'}
        </ButtonLink>
      }
    >
      <CataloguePanes
        label="Reports"
        answer={answer}
        items={reports.map((report) => ({
          name: report.name,
          title: report.title,
          note:
            report.schedules.length > 0
              ? 'by the clock'
              : report.after.length > 0
                ? 'after others'
                : plural(report.parameters.length, 'parameter'),
          mark: report.problems.length > 0 && (
            <StateIcon phase="failed" label="its file has problems" />
          ),
          link: { to: '/reports/$name', params: { name: report.name } },
          isShown: view !== 'graph' && report.name === shown?.name,
        }))}
        empty={
          <Empty title="No reports yet">
            A report is a file in <code>reports/</code>: SQL with parameters, its key, who sees
            which rows. It is loaded when you save it.
          </Empty>
        }
      >
        <FileProblems problems={answer.data?.troubled.flatMap((file) => file.problems) ?? []} />
        {view === 'graph' ? (
          <ReportGraph />
        ) : shown === undefined ? (
          <Empty title={`No report named ${name ?? ''}`}>
            It may have been renamed. Choose one from the list.
          </Empty>
        ) : (
          <ReportView key={shown.name} report={shown} />
        )}
      </CataloguePanes>
    </Page>
  );
}

/** Which reports follow from which, with the state of the newest run of each. */
function ReportGraph() {
  const api = useApi();
  const navigate = useNavigate();
  const graph = useQuery({ queryKey: ['reports', 'graph'], queryFn: () => api.getReportGraph() });
  const { data: latest } = useQuery({
    queryKey: [...keys.reportRuns(), 'all'],
    queryFn: () => api.listReportRuns({ query: { limit: '100' } }),
  });
  if (graph.data === undefined) return null;
  const { nodes, edges } = graph.data;
  return (
    <Graph
      label="Dependencies between reports"
      onOpen={(name) => void navigate({ to: '/reports/$name', params: { name } })}
      nodes={nodes.map(({ report, title, schedules }) => {
        const run = latest?.runs.find((each) => each.report === report);
        const into = edges.filter(({ to }) => to === report);
        return {
          id: report,
          title,
          note:
            schedules > 0
              ? plural(schedules, 'schedule')
              : (into[0]?.when ?? (into.length > 0 ? 'after the one before' : 'by hand')),
          phase: run === undefined ? null : phaseOfRun(run),
          after: into.map(({ from }) => from),
          joins: into.some(({ kind }) => kind === 'all'),
        };
      })}
    />
  );
}
