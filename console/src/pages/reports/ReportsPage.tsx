import { useQuery } from '@tanstack/react-query';
import { useParams, useSearch } from '@tanstack/react-router';
import { Workflow } from 'lucide-react';
import { useApi } from '../../data/client.ts';
import { Page } from '../../shell/Page.tsx';
import { plural } from '../../time/words.ts';
import { ButtonLink } from '../../ui/button.tsx';
import { CataloguePanes } from '../../ui/catalogue.tsx';
import { Empty } from '../../ui/empty.tsx';
import { StateIcon } from '../../ui/state.tsx';
import { FileProblems } from './FileProblems.tsx';
import { ReportGraph } from './ReportGraph.tsx';
import { ReportView } from './ReportView.tsx';

/** What can be run at the left; one report beside it: its form, its runs, when it runs by itself. */
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
