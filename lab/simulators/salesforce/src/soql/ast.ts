/** A query as it was written. Every name knows where it stands, for errors. */
export interface Query {
  readonly select: readonly SelectItem[];
  readonly from: Name;
  readonly alias: string | null;
  readonly where: Condition | null;
  readonly groupBy: readonly Name[];
  readonly having: Condition | null;
  readonly orderBy: readonly Order[];
  readonly limit: number | null;
  readonly offset: number;
  readonly forUpdate: boolean;
}

export interface Name {
  /** With dots: `Account.Owner.Name`. */
  readonly text: string;
  readonly at: number;
}

export type SelectItem =
  | { readonly kind: 'field'; readonly name: Name; readonly alias: string | null }
  | { readonly kind: 'all'; readonly scope: 'ALL' | 'CUSTOM' | 'STANDARD'; readonly at: number }
  | { readonly kind: 'count' }
  | { readonly kind: 'aggregate'; readonly call: Aggregate; readonly alias: string | null }
  | { readonly kind: 'children'; readonly query: Query };

export const AGGREGATES = ['COUNT', 'COUNT_DISTINCT', 'SUM', 'AVG', 'MIN', 'MAX'] as const;
export type AggregateName = (typeof AGGREGATES)[number];

export interface Aggregate {
  readonly call: AggregateName;
  readonly name: Name;
}

/** The value that is compared or sorted by: a field or, in HAVING and ORDER BY, an aggregate. */
export type Operand = Name | Aggregate;

export type Operator = '=' | '!=' | '<' | '<=' | '>' | '>=' | 'LIKE';

export type Condition =
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition }
  | {
      readonly kind: 'compare';
      readonly left: Operand;
      readonly operator: Operator;
      readonly right: Literal;
    }
  | {
      readonly kind: 'in';
      readonly left: Name;
      readonly not: boolean;
      readonly values: readonly Literal[] | Query;
    };

export type Literal = { readonly at: number } & (
  | { readonly kind: 'text'; readonly value: string; readonly pattern: string }
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  | { readonly kind: 'date'; readonly text: string }
  | { readonly kind: 'datetime'; readonly ms: number }
  | { readonly kind: 'range'; readonly name: string; readonly count: number | null }
);

export interface Order {
  readonly by: Operand;
  readonly descending: boolean;
  readonly nullsLast: boolean;
}

export function isAggregate(operand: Operand): operand is Aggregate {
  return 'call' in operand;
}
