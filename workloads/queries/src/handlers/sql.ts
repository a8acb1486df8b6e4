import { type HandlersOf, ok } from '@millrace/workload-kit';
import type { sqlContracts } from '../contract/sql.ts';
import { formatSql } from '../sql/format.ts';
import { validateSql } from '../validate.ts';
import type { QueriesWithin } from '../within.ts';

export function sqlHandlers({
  catalog,
  mid,
  businessUnit,
  enterpriseTables,
}: QueriesWithin): HandlersOf<typeof sqlContracts> {
  return {
    async validateSql({ body, correlationId, signal }) {
      const { sql, askMarketingCloud } = body;
      // A business unit that is not the caller's is refused, also where nobody asks it.
      if (body.mid !== undefined) mid(body.mid);
      if (!askMarketingCloud) return ok(await validateSql(sql, { enterpriseTables }, null));
      const { fieldsOf, namesOf } = catalog;
      const unit = businessUnit(body.mid);
      return ok(
        await validateSql(
          sql,
          { enterpriseTables },
          { unit, fieldsOf, namesOf, correlationId, signal },
        ),
      );
    },
    async formatSql({ body }) {
      return ok({ sql: formatSql(body.sql) });
    },
  };
}
