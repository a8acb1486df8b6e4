import { resolve } from 'node:path';
import { SourceError, SourceUnavailable } from '@millrace/sql-source';
import { type HandlersOf, ok } from '@millrace/workload-kit';
import type { CatalogueView, ReportDefinition } from '../catalogue/types.ts';
import type { catalogueContracts } from '../contract/catalogue.ts';
import { ReportError } from '../errors.ts';
import { identityOf } from '../identity/identity.ts';
import { decideRows } from '../identity/row-rules.ts';
import { unknownReport } from '../prepare.ts';
import { claimsNeeded } from '../rules/claims.ts';
import { graphOf } from '../rules/graph.ts';
import { suggestionsOf } from '../sql/suggestions.ts';
import type { ReportsWithin } from '../within.ts';
import { reportJson } from './json.ts';

export function catalogueHandlers({
  catalogue,
  source,
  config,
  now,
}: ReportsWithin): HandlersOf<typeof catalogueContracts> {
  function requireReport(name: string): { view: CatalogueView; definition: ReportDefinition } {
    const view = catalogue.now();
    const definition = view.reports.get(name);
    if (definition !== undefined) return { view, definition };
    throw new ReportError('report_not_found', unknownReport(view, name).message);
  }

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
      const { view, definition } = requireReport(name);
      return ok(reportJson(view, definition, { caller, now: now() }));
    },
    async suggestReportValues({ params: { name, parameter }, caller }) {
      const { view, definition } = requireReport(name);
      const { parameters } = definition.value;
      const sql = parameters.find((each) => each.name === parameter)?.suggest ?? null;
      if (sql === null || caller === null)
        throw new ReportError(
          'report_not_found',
          `The report "${name}" suggests no values for "${parameter}".`,
        );
      const identity = identityOf(caller, claimsNeeded(view, name));
      try {
        return ok(await suggestionsOf(source, sql, decideRows(definition.value, identity)));
      } catch (error) {
        if (!(error instanceof SourceError) || error instanceof SourceUnavailable) throw error;
        throw new ReportError('suggestions_refused', error.message, { cause: error });
      }
    },
    async getReportGraph() {
      const { nodes, edges } = graphOf(catalogue.now());
      return ok({ nodes: [...nodes], edges: [...edges] });
    },
  };
}
