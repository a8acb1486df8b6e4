import { describe, expect, test } from 'vitest';
import { raw } from '../../../test/scripted.ts';
import {
  SECRET,
  TOKEN,
  all,
  connect,
  error,
  errorOf,
  openBucket,
  whole,
  xml,
} from '../../test/bucket.ts';

const UPLOAD = { key: 'k', uploadId: 'u' };
const PARTS = [{ number: 1, etag: '"a"' }];
const COMPLETE = xml(
  200,
  '<CompleteMultipartUploadResult><ETag>&#34;whole-1&#34;</ETag></CompleteMultipartUploadResult>',
);

describe('Complete', () => {
  test('that answers 200 and an Error has failed: sent again if it is temporary', async () => {
    const bucket = await openBucket();
    bucket.will(xml(200, `   \n ${error('InternalError')}`), COMPLETE);
    const { storage } = connect(bucket);
    expect(await storage.completeUpload(UPLOAD, PARTS)).toEqual({ etag: '"whole-1"' });
    expect(bucket.seen).toHaveLength(2);
    expect(bucket.seen[0]?.body).toContain('<ETag>&quot;a&quot;</ETag>');

    bucket.will(xml(200, error('InvalidPart')));
    const failed = await errorOf(storage.completeUpload(UPLOAD, PARTS));
    expect(failed).toMatchObject({ code: 'InvalidPart', kind: 'conflict', retryable: false });
  });

  test('that ends early, or with something else, is sent again', async () => {
    const bucket = await openBucket();
    bucket.will(
      xml(200, '<CompleteMultipartUploadResult><ETag>"who'),
      xml(200, '<?xml version="1.0"?>\n  '),
      raw(200, 'OK'),
      COMPLETE,
    );
    const { storage } = connect(bucket);
    expect(await storage.completeUpload(UPLOAD, PARTS)).toEqual({ etag: '"whole-1"' });
  });

  test('is asked for without its condition where conditions are not known', async () => {
    const bucket = await openBucket();
    bucket.will(xml(501, error('NotImplemented')), COMPLETE);
    const { storage } = connect(bucket);
    await storage.completeUpload(UPLOAD, PARTS);
    expect(bucket.seen.map(({ headers }) => headers['if-none-match'])).toEqual(['*', undefined]);
  });
});

describe('an address', () => {
  test('that an answer names is not asked, nor is a signed request sent there', async () => {
    const bucket = await openBucket();
    const stranger = await openBucket();
    const { storage } = connect(bucket);
    for (const status of [301, 302, 307, 308]) {
      bucket.will(
        xml(status, error('PermanentRedirect', `<Endpoint>${stranger.url}</Endpoint>`), {
          location: `${stranger.url}/reports/`,
          'x-amz-bucket-region': 'us-west-2',
        }),
      );
      const failed = await errorOf(storage.check());
      expect(failed).toMatchObject({ kind: 'elsewhere', retryable: false, status });
      expect(failed.message).toContain('The region is us-west-2.');
    }
    expect(stranger.seen).toEqual([]);
  });
});

describe('a message', () => {
  test('never has a secret, and is not long', async () => {
    const bucket = await openBucket();
    const leaking = `<Error><Code>AccessDenied</Code><Message>${SECRET} ${TOKEN} ${'x'.repeat(5_000)}</Message></Error>`;
    bucket.will(xml(403, leaking));
    const { storage } = connect(bucket);
    const failed = await errorOf(storage.check());
    expect(failed.message).toContain('[secret] [secret]');
    expect(failed.message.length).toBeLessThan(700);
    expect(String(failed.stack)).not.toMatch(/very-secret/);
    expect(JSON.stringify(bucket.seen)).not.toContain(SECRET);
  });
});

describe('XML', () => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]><ListBucketResult><Name>&b;</Name></ListBucketResult>`;
  const file = `<?xml version="1.0"?><!DOCTYPE l [<!ENTITY x SYSTEM "file:///etc/passwd">]><ListBucketResult><Name>&x;</Name></ListBucketResult>`;

  test.each([
    ['entities of its own', bomb],
    ['entities that name files', file],
    ['depth', `${'<a>'.repeat(5_000)}${'</a>'.repeat(5_000)}`],
    ['a page', '<!doctype html><html><body>Sign in<br></body></html>'],
    ['nothing', ''],
    ['another element', '<ListPartsResult></ListPartsResult>'],
    ['half of it', '<ListBucketResult><Contents>'],
  ])('with %s is no answer', async (_what, body) => {
    const bucket = await openBucket();
    bucket.otherwise(xml(200, body));
    const { storage } = connect(bucket);
    const failed = await errorOf(storage.check());
    expect(failed).toMatchObject({ code: 'invalid_answer', kind: 'unavailable', retryable: true });
    expect(failed.message).not.toMatch(/aaaa|root:/);
  });

  test('of an error may be an attack as well: then the status counts', async () => {
    const bucket = await openBucket();
    bucket.will(xml(403, bomb.replaceAll('ListBucketResult', 'Error')));
    const { storage } = connect(bucket);
    expect(await errorOf(storage.check())).toMatchObject({ code: 'AccessDenied', status: 403 });
  });

  test('keeps texts as they are, also one entry alone', async () => {
    const bucket = await openBucket();
    const entry = (key: string) =>
      `<Contents><Key>${key}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;5e10&quot;</ETag><Size>12</Size></Contents>`;
    bucket.will(
      xml(
        200,
        `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>false</IsTruncated>${entry('out/007')}${entry('other/008')}</ListBucketResult>`,
      ),
    );
    const { storage } = connect(bucket);
    expect(await all(storage.list(''))).toEqual([
      { key: '007', size: 12, etag: '"5e10"', modifiedAt: Date.UTC(2026, 0, 1) },
    ]);
  });

  test('that never ends is cut off', async () => {
    const bucket = await openBucket();
    let isClosed = false;
    bucket.will(({ response }) => {
      response.writeHead(200);
      response.on('close', () => {
        isClosed = true;
      });
      const more = (): void => {
        while (!isClosed && response.write('x'.repeat(65_536)));
        if (!isClosed) response.once('drain', more);
      };
      more();
    });
    bucket.otherwise(xml(403, error('AccessDenied')));
    const { storage } = connect(bucket);
    expect(await errorOf(storage.check())).toMatchObject({ code: 'AccessDenied' });
    expect(bucket.seen).toHaveLength(2);
  });
});

describe('a list', () => {
  const page = (more: string) =>
    xml(200, `<ListMultipartUploadsResult>${more}</ListMultipartUploadsResult>`);
  const entry = (key: string, id: string) =>
    `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>2026-01-01T00:00:00Z</Initiated></Upload>`;

  test('of uploads has pages, and keys that XML could not hold', async () => {
    const bucket = await openBucket();
    bucket.will(
      page(
        `<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextKeyMarker>out/a%01+b</NextKeyMarker><NextUploadIdMarker>1</NextUploadIdMarker>${entry('out/a%01+b', '1')}`,
      ),
      page(`<IsTruncated>false</IsTruncated>${entry('out/c+d', '2')}${entry('elsewhere', '3')}`),
    );
    const { storage } = connect(bucket);
    const startedAt = Date.UTC(2026, 0, 1);
    expect(await all(storage.listUploads(''))).toEqual([
      { key: 'a\u0001 b', uploadId: '1', startedAt },
      { key: 'c+d', uploadId: '2', startedAt },
    ]);
    expect(bucket.seen[1]?.path).toContain('key-marker=out%2Fa%01%20b&upload-id-marker=1');
  });

  test('that does not move on ends with an error', async () => {
    const bucket = await openBucket();
    bucket.otherwise(page('<IsTruncated>true</IsTruncated><NextKeyMarker>a</NextKeyMarker>'));
    const { storage } = connect(bucket);
    expect(await errorOf(all(storage.listUploads('')))).toMatchObject({ code: 'invalid_answer' });
    bucket.otherwise(
      xml(200, '<ListPartsResult><IsTruncated>true</IsTruncated></ListPartsResult>'),
    );
    expect(await errorOf(all(storage.listParts(UPLOAD)))).toMatchObject({ code: 'invalid_answer' });
  });
});

describe('an object', () => {
  test('is not what a server gives that ignores the range, or encodes', async () => {
    const bucket = await openBucket();
    const { storage } = connect(bucket);
    const range = { from: 2, to: 4 };
    bucket.will(raw(200, 'abcdef', { etag: '"e"' }));
    expect(await errorOf(storage.get('k', { range }))).toMatchObject({ code: 'InvalidRange' });
    bucket.will(raw(206, 'ab', { etag: '"e"', 'content-range': 'bytes 0-1/6' }));
    expect(await errorOf(storage.get('k', { range }))).toMatchObject({ code: 'InvalidRange' });
    bucket.otherwise(raw(200, 'zip', { etag: '"e"', 'content-encoding': 'gzip' }));
    expect(await errorOf(storage.get('k'))).toMatchObject({ code: 'invalid_answer' });
  });

  test('that is cut off is an error, not a short object', async () => {
    const bucket = await openBucket();
    const { storage } = connect(bucket);
    bucket.will(({ response }) => {
      response.writeHead(200, { etag: '"e"', 'content-length': '10' });
      response.write('abc', () => response.destroy());
    });
    const { body } = await storage.get('k');
    expect(await errorOf(whole(body))).toMatchObject({ code: 'unreachable', retryable: true });

    // Without a length of its own the answer seems whole.
    for (const text of ['abc', 'abcdefghijk']) {
      bucket.will(({ response }) => {
        response.writeHead(206, { etag: '"e"', 'content-range': 'bytes 0-9/10' });
        response.write(text);
        response.end();
      });
      const part = await storage.get('k', { range: { from: 0, to: 10 } });
      const failed = await errorOf(whole(part.body));
      expect(failed).toMatchObject({ code: 'unreachable', retryable: true });
      expect(failed.message).toContain(`${text.length} bytes of an object came instead of 10`);
    }
  });

  test('whose reader stops ends the request', async () => {
    const bucket = await openBucket();
    const { storage } = connect(bucket);
    const closed = new Promise<void>((resolve) => {
      bucket.will(({ response }) => {
        response.writeHead(200, { etag: '"e"', 'content-length': '1000000' });
        response.write('abc');
        response.once('close', resolve);
      });
    });
    const { body } = await storage.get('k');
    for await (const chunk of body) {
      expect(String(Buffer.from(chunk))).toBe('abc');
      break;
    }
    await closed;
  });
});
