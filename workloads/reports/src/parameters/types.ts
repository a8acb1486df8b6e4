import type {
  Choice,
  GivenParameters,
  GivenValue,
  Moment,
  Parameter,
  ParameterField,
  ParameterProblem,
  ParameterType,
  ResolvedParameters,
} from '@millrace/workload-kit';

export type {
  Choice,
  GivenValue as Given,
  GivenParameters,
  Moment,
  Parameter,
  ParameterField,
  ParameterProblem,
  ParameterType,
  ResolvedParameters,
};

/** What `current_setting('rp.<name>')` is to give, and the Postgres type that the SQL reads it as. */
export interface BoundValue {
  /** That of the parameter; a date range has two, `<name>_from` and `<name>_to`. */
  readonly name: string;
  /** A Postgres type such as `bigint` or `text[]`. */
  readonly type: string;
  /** A list is the literal of an array. Null: the SQL says NULL. */
  readonly value: string | null;
}
