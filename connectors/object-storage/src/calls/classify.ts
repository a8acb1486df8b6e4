import { type Answer, retryAfterMs } from '@millrace/http';
import { type ErrorKind, ObjectStorageError } from '../errors.ts';
import { type Xml, textOf } from '../xml/parse.ts';

/**
 * What a refusal means: by the code where its name is known ("Error Responses" of the S3 API reference; the second word of some is
 * MinIO's or Ceph's), by the status otherwise.
 */
const KINDS: Readonly<Record<string, ErrorKind>> = {
  SlowDown: 'limit',
  SlowDownRead: 'limit',
  SlowDownWrite: 'limit',
  TooManyRequests: 'limit',
  RequestLimitExceeded: 'limit',
  Throttling: 'limit',
  ServiceUnavailable: 'limit',
  InternalError: 'unavailable',
  OperationAborted: 'unavailable',
  // The body came too slowly, or not whole.
  RequestTimeout: 'unavailable',
  IncompleteBody: 'unavailable',
  // The bytes that arrived are not those that were signed: sent again they may arrive.
  BadDigest: 'unavailable',
  XAmzContentSHA256Mismatch: 'unavailable',
  RequestTimeTooSkewed: 'clock',
  PermanentRedirect: 'elsewhere',
  TemporaryRedirect: 'elsewhere',
  AuthorizationHeaderMalformed: 'elsewhere',
  NoSuchKey: 'notFound',
  NoSuchBucket: 'notFound',
  NoSuchUpload: 'notFound',
  PreconditionFailed: 'conflict',
  ConditionalRequestConflict: 'conflict',
  InvalidPart: 'conflict',
  InvalidPartOrder: 'conflict',
  EntityTooSmall: 'conflict',
  InvalidRange: 'conflict',
  QuotaExceeded: 'space',
  XMinioStorageFull: 'space',
  XMinioAdminBucketQuotaExceeded: 'space',
  InsufficientCapacity: 'space',
  NotImplemented: 'unsupported',
  MethodNotAllowed: 'unsupported',
};

/**
 * What Azure Blob Storage says, by the name that S3 has for it: one code for each thing, whatever the storage is.
 * https://learn.microsoft.com/rest/api/storageservices/blob-service-error-codes
 */
const AZURE: Readonly<Record<string, string>> = {
  BlobNotFound: 'NoSuchKey',
  ContainerNotFound: 'NoSuchBucket',
  ContainerBeingDeleted: 'NoSuchBucket',
  BlobAlreadyExists: 'PreconditionFailed',
  ConditionNotMet: 'PreconditionFailed',
  TargetConditionNotMet: 'PreconditionFailed',
  // A block of the list is not there: the upload was given up, or a week has passed.
  InvalidBlockList: 'NoSuchUpload',
  InvalidBlockId: 'InvalidPart',
  Md5Mismatch: 'BadDigest',
  ServerBusy: 'SlowDown',
  OperationTimedOut: 'InternalError',
  AuthenticationFailed: 'AccessDenied',
  AuthorizationFailure: 'AccessDenied',
  AuthorizationPermissionMismatch: 'AccessDenied',
};

const BY_STATUS: Readonly<Record<number, { readonly code: string; readonly kind: ErrorKind }>> = {
  401: { code: 'AccessDenied', kind: 'permission' },
  403: { code: 'AccessDenied', kind: 'permission' },
  404: { code: 'NoSuchKey', kind: 'notFound' },
  405: { code: 'MethodNotAllowed', kind: 'unsupported' },
  408: { code: 'RequestTimeout', kind: 'unavailable' },
  409: { code: 'OperationAborted', kind: 'unavailable' },
  412: { code: 'PreconditionFailed', kind: 'conflict' },
  416: { code: 'InvalidRange', kind: 'conflict' },
  429: { code: 'SlowDown', kind: 'limit' },
  501: { code: 'NotImplemented', kind: 'unsupported' },
  503: { code: 'SlowDown', kind: 'limit' },
  507: { code: 'InsufficientCapacity', kind: 'space' },
};

/** What to do, where a person has to do something. */
const ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Check the name of the bucket and the endpoint.',
  InvalidAccessKeyId: 'Check the access key.',
  SignatureDoesNotMatch: 'Check the secret access key and the region.',
  ExpiredToken: 'The session token has ended: give new credentials.',
  AccessDenied:
    'The key needs s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:AbortMultipartUpload, s3:ListMultipartUploadParts and s3:ListBucketMultipartUploads.',
};

const AZURE_ADVICE: Readonly<Record<string, string>> = {
  NoSuchBucket: 'Check the name of the container and the endpoint.',
  AccessDenied:
    'Check the key, or give the identity the role Storage Blob Data Contributor on the container.',
};

/** The storage's Error element, or an empty one. Of its members only these are read: others hold the signature. */
export function refusal(answer: Answer, error: Xml, now: number): ObjectStorageError {
  const { status, headers } = answer;
  // The answer to a HEAD has no body: Azure names the code in a header.
  const said = textOf(error, 'Code') || (headers['x-ms-error-code'] ?? '');
  const given = AZURE[said] ?? said;
  // Swift answers a refused condition as InvalidRequest with the status 412.
  const code = status === 412 || given === '' ? (BY_STATUS[status]?.code ?? given) : given;
  const kind = KINDS[code] ?? kindOf(status);
  const advice = (said in AZURE ? AZURE_ADVICE : ADVICE)[code] ?? '';
  const message = sentence({ code: code || String(status), kind, answer, error, now, advice });
  return new ObjectStorageError(message, {
    code: code || `http_${status}`,
    kind,
    // A 5xx, and an Error that comes with a 200, may have been done all the same.
    outcome: status >= 500 || status < 300 ? 'unknown' : 'refused',
    status,
    retryAfterMs: retryAfterMs(headers['retry-after'], now),
  });
}

function kindOf(status: number): ErrorKind {
  const known = BY_STATUS[status]?.kind;
  if (known !== undefined) return known;
  if (status >= 500 || status < 300) return 'unavailable';
  return status < 400 ? 'elsewhere' : 'data';
}

function sentence(params: {
  readonly code: string;
  readonly kind: ErrorKind;
  readonly answer: Answer;
  readonly error: Xml;
  readonly now: number;
  readonly advice: string;
}): string {
  const { code, kind, answer, error, now, advice } = params;
  // Azure adds lines with the id of the request and the time.
  const [first = ''] = textOf(error, 'Message').split('\n', 1);
  const words = first.trimEnd().replace(/\.$/, '');
  const said = words === '' ? '' : `: ${words}`;
  if (kind === 'clock') return `${clocks(answer, now)} Set this machine's clock (${code}).`;
  if (kind === 'elsewhere') return elsewhere(answer, error, said);
  return `The object storage answered ${answer.status} ${code}${said}. ${advice}`.trimEnd();
}

function clocks({ headers }: Answer, now: number): string {
  const theirs = Date.parse(headers['date'] ?? '');
  if (Number.isNaN(theirs))
    return "The object storage refused the request because this machine's clock differs from its own.";
  const seconds = Math.round(Math.abs(theirs - now) / 1_000);
  return `The object storage refused the request because its clock is ${seconds} s ${theirs > now ? 'ahead of' : 'behind'} this machine's.`;
}

/** The host that a redirect names is not asked: it would be given a signed request. */
function elsewhere({ status, headers }: Answer, error: Xml, said: string): string {
  const region = textOf(error, 'Region') || (headers['x-amz-bucket-region'] ?? '');
  const where = region === '' ? '' : ` The region is ${region}.`;
  return `The object storage says that the bucket is elsewhere (${status}${said}).${where} Check the endpoint and the region; redirects are not followed.`;
}
