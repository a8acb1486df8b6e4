import type { Cloud } from '../cloud.ts';
import type { Unit } from '../data/account.ts';
import type { Strikes } from '../faults.ts';
import type { Node, Xml } from './xml.ts';

/** Who calls, and which faults meet them. */
export interface View {
  readonly cloud: Cloud;
  readonly unit: Unit;
  readonly strikes: Strikes;
  readonly operation: string;
  /** What the token may do. */
  readonly scopes: readonly string[];
}

/** What became of one object of a request. */
export interface Changed {
  readonly message: string;
  readonly newId?: string;
  readonly objectId?: string;
  readonly object: readonly Xml[];
  /** Of Perform. */
  readonly task?: readonly Xml[];
}

/** Throws a SoapRefusal. */
export type Change = (view: View, object: Node) => Changed;
