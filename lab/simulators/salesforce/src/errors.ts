/** An error in the form of Salesforce: a code, a sentence, and the fields it is about. */
export class ApiError extends Error {
  readonly errorCode: string;
  readonly status: number;
  /** Null: the error is of the request, not of a record, and says nothing of fields. */
  readonly fields: readonly string[] | null;

  constructor(errorCode: string, message: string, options: ErrorOptions = {}) {
    super(message);
    this.errorCode = errorCode;
    this.status = options.status ?? STATUS[errorCode] ?? 400;
    this.fields = options.fields ?? null;
  }
}

interface ErrorOptions {
  readonly status?: number;
  readonly fields?: readonly string[];
}

/** Every other code is a 400. */
const STATUS: Readonly<Record<string, number>> = {
  INVALID_SESSION_ID: 401,
  REQUEST_LIMIT_EXCEEDED: 403,
  NOT_FOUND: 404,
  ENTITY_IS_DELETED: 404,
  METHOD_NOT_ALLOWED: 405,
  REQUEST_ENTITY_TOO_LARGE: 413,
  URI_TOO_LONG: 414,
  UNSUPPORTED_MEDIA_TYPE: 415,
  SERVER_UNAVAILABLE: 503,
};

/** One line of an error answer: `[{ message, errorCode, fields? }]`. */
export interface ErrorLine {
  readonly message: string;
  readonly errorCode: string;
  readonly fields?: readonly string[];
}

export function errorLine({ message, errorCode, fields }: ApiError): ErrorLine {
  return { message, errorCode, ...(fields === null ? {} : { fields }) };
}

/** The same inside the result of a record, where Salesforce calls the code `statusCode`. */
export interface SaveError {
  readonly statusCode: string;
  readonly message: string;
  readonly fields: readonly string[];
}

export function saveError({ message, errorCode, fields }: ApiError): SaveError {
  return { statusCode: errorCode, message, fields: fields ?? [] };
}

export function notFound(message = 'The requested resource does not exist'): ApiError {
  return new ApiError('NOT_FOUND', message);
}

/** Re-throws what is no answer of Salesforce but a mistake of ours. */
export function asApiError(thrown: unknown): ApiError {
  if (thrown instanceof ApiError) return thrown;
  throw thrown;
}
