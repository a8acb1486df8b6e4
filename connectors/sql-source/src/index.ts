export { SourceError, SourceUnavailable } from './errors.ts';
export {
  type EmbeddedSource,
  type EmbeddedSourceOptions,
  openEmbeddedSource,
} from './embedded/source.ts';
export { type PostgresSourceOptions, openPostgresSource } from './postgres/source.ts';
export { excessRights } from './reading/rights.ts';
export { type BoundSql, bindNames, placeAt } from './text/bind-names.ts';
export { type OutermostOrder, outermostOrder } from './text/order.ts';
export {
  type Branch,
  type ColumnName,
  type Cte,
  type FromItem,
  type Query,
  type Select,
  type SelectItem,
  type Subquery,
  parseQuery,
} from './text/query.ts';
export { tokensOf } from './text/tokens.ts';
export type {
  BeginOptions,
  CopiedRows,
  CopyFormat,
  Cut,
  PlanNode,
  Reading,
  SourceColumn,
  SqlSource,
} from './source.ts';
