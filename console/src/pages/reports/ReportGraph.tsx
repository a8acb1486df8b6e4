import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useApi } from '../../data/client.ts';
import { keys } from '../../data/keys.ts';
import { plural } from '../../time/words.ts';
import { Graph } from '../../ui/graph.tsx';
import { phaseOfRun } from './reports.ts';

/** Which reports follow from which, with the state of the newest run of each. */
export function ReportGraph() {
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
