/** Options of every route's call. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly body?: unknown;
  readonly upload?: { readonly type: string; readonly bytes: NonNullable<RequestInit['body']> };
}

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the connection of a stream has ended and is about to be reopened. */
  readonly onBreak?: () => void;
}
