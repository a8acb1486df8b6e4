import { resolve } from 'node:path';
import { type HandlersOf, ok } from '@millrace/workload-kit';
import type { catalogueContracts } from '../contract/catalogue.ts';
import { ReportError } from '../errors.ts';
import { unknownReport } from '../prepare.ts';
import { graphOf } from '../rules/graph.ts';
import type { ReportsWithin } from '../within.ts';
import { reportJson } from './json.ts';

export function catalogueHandlers({
  catalogue,
  source,
  config,
  now,
}: ReportsWithin): HandlersOf<typeof catalogueContracts> {
  return {
    async listReports({ query, caller }) {
      const view = catalogue.now();
      const about = { caller, now: now() };
      const { cursor = '', limit = Infinity } = query;
      const rest = [...view.reports.values()].filter(({ name }) => name > cursor);
      const shown = rest.slice(0, limit);
      return ok({
        reports: shown.map((each) => reportJson(view, each, about)),
        troubled: view.troubled.map((each) => ({ ...each, problems: [...each.problems] })),
        folder: resolve(config.folder),
        source: source.kind,
        next: rest.length > shown.length ? (shown.at(-1)?.name ?? null) : null,
      });
    },
    async getReport({ params: { name }, caller }) {
      const view = catalogue.now();
      const definition = view.reports.get(name);
      if (definition === undefined)
        throw new ReportError('report_not_found', unknownReport(view, name).message);
      return ok(reportJson(view, definition, { caller, now: now() }));
    },
    async getReportGraph() {
      const { nodes, edges } = graphOf(catalogue.now());
      return ok({ nodes: [...nodes], edges: [...edges] });
    },
  };
}
