import type { Caller } from '../calls/call.ts';
import { readXml } from '../calls/read.ts';
import { invalidAnswer } from '../errors.ts';
import type { CallOptions, ListedUpload } from '../types.ts';
import { type Xml, childrenOf, textOf } from '../xml/parse.ts';
import { decoder } from './names.ts';

/** Those that were begun and not completed, by page. */
export async function* listUploads(
  caller: Caller,
  prefix: string,
  options: CallOptions = {},
): AsyncGenerator<readonly ListedUpload[]> {
  const { address } = caller;
  let markers: Readonly<Record<string, string>> | null = {};
  while (markers !== null) {
    const answer: Xml = await caller.call({
      operation: 'ListMultipartUploads',
      method: 'GET',
      key: null,
      query: {
        uploads: '',
        'encoding-type': 'url',
        prefix: `${address.prefix}${prefix}`,
        ...markers,
      },
      options,
      read: (got, context) => readXml(got, 'ListMultipartUploadsResult', context),
    });
    const decoded = decoder(answer);
    yield childrenOf(answer, 'Upload').flatMap((upload) => {
      const key = address.below(decoded(textOf(upload, 'Key')));
      const uploadId = textOf(upload, 'UploadId');
      const startedAt = Date.parse(textOf(upload, 'Initiated'));
      return key === null || uploadId === '' ? [] : [{ key, uploadId, startedAt }];
    });
    markers = nextMarkers(answer, decoded, markers);
  }
}

function nextMarkers(
  answer: Xml,
  decoded: (text: string) => string,
  before: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | null {
  if (textOf(answer, 'IsTruncated') !== 'true') return null;
  const next = {
    'key-marker': decoded(textOf(answer, 'NextKeyMarker')),
    'upload-id-marker': textOf(answer, 'NextUploadIdMarker'),
  };
  const isStuck =
    next['key-marker'] === '' ||
    (next['key-marker'] === before['key-marker'] &&
      next['upload-id-marker'] === before['upload-id-marker']);
  if (isStuck) throw invalidAnswer('A list of uploads does not end.');
  return next;
}
