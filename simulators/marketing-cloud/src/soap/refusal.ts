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
