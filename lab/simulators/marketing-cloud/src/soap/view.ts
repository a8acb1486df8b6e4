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
  /** The permissions of the token. */
  readonly scopes: readonly string[];
}

/** The result for one object of a request. */
export interface Changed {
  readonly message: string;
  readonly newId?: string;
  readonly objectId?: string;
  readonly object: readonly Xml[];
  /** The task that Perform started. */
  readonly task?: readonly Xml[];
}

/** Throws a SoapRefusal. */
export type Change = (view: View, object: Node) => Changed;

/** An object of a request is refused; the request itself is answered with HTTP 200. */
export class SoapRefusal extends Error {
  override readonly name = 'SoapRefusal';
  /** Null: none is documented for it. */
  readonly errorCode: number | null;

  constructor(message: string, errorCode: number | null = null) {
    super(message);
    this.errorCode = errorCode;
  }
}

/** A Retrieve is refused as a whole: OverallStatus is `Error: ` and this sentence. */
export class RetrieveRefusal extends Error {
  override readonly name = 'RetrieveRefusal';
}
