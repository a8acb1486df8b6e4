// The parser of SQL from beside DuckDB: both are installed with the first query (src/sql/duckdb.ts).
export { generate, parse } from '@polyglot-sql/sdk';
