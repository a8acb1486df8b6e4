import { DocumentError } from '../errors.ts';

/** Images that the data names by address. Who fetches them safely is the caller's to say: here is only what may be asked. */
export interface ImageRules {
  /** `cdn.example.com`, or `cdn.example.com:8443`. Without any, no image is fetched. */
  readonly allowedHosts: readonly string[];
  readonly fetch: FetchImage;
  /** In one document: 50. */
  readonly maxCount?: number | undefined;
  /** Each: 10 MB. */
  readonly maxBytes?: number | undefined;
}

/** Refuses with `retryable: false` what would be the same the next time. */
export type FetchImage = (
  url: string,
  options: { readonly signal: AbortSignal | undefined; readonly maxBytes: number },
) => Promise<Uint8Array>;

const MAX_COUNT = 50;
const MAX_BYTES = 10_000_000;
const AT_ONCE = 4;

export async function fetchImages(
  template: { imagesNeeded(data: unknown): Promise<string[]> | string[] },
  data: unknown,
  rules: ImageRules | undefined,
  signal: AbortSignal | undefined,
): Promise<Map<string, Uint8Array>> {
  const urls = await template.imagesNeeded(data);
  const images = new Map<string, Uint8Array>();
  if (urls.length === 0) return images;
  const { maxCount = MAX_COUNT, maxBytes = MAX_BYTES, allowedHosts = [] } = rules ?? {};
  if (urls.length > maxCount)
    throw refused(
      `The data names ${urls.length} images by address; at most ${maxCount} are fetched.`,
    );
  for (const url of urls) checkUrl(url, allowedHosts);
  const left = [...urls];
  const take = async (): Promise<void> => {
    for (let url = left.pop(); url !== undefined; url = left.pop())
      images.set(url, await fetchOne(url, rules, maxBytes, signal));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, urls.length) }, take));
  return images;
}

function checkUrl(text: string, allowedHosts: readonly string[]): void {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw refused(`"${shown(text)}" is no address of an image. Use https, without a user name.`);
  const hosts = allowedHosts.map((host) => host.trim().toLowerCase());
  if (!hosts.includes(url.host) && !(url.port === '' && hosts.includes(url.hostname)))
    throw refused(
      `Images from "${url.host}" are not allowed. Add the host to the allowlist of images, or give the image as base64.`,
    );
}

async function fetchOne(
  url: string,
  rules: ImageRules | undefined,
  maxBytes: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await rules?.fetch(url, { signal, maxBytes });
  } catch (error) {
    if (error instanceof DocumentError || signal?.aborted === true) throw error;
    const isFinal = error instanceof Error && 'retryable' in error && error.retryable === false;
    const why = error instanceof Error ? error.message : String(error);
    throw new DocumentError(
      isFinal ? 'validation_error' : 'unknown',
      `The image ${shown(url)} could not be fetched: ${why}`,
      { retryable: !isFinal, cause: error },
    );
  }
  if (bytes === undefined) throw refused('Images by address are switched off.');
  if (bytes.length > maxBytes)
    throw refused(
      `The image ${shown(url)} has ${bytes.length} bytes; at most ${maxBytes} are taken.`,
    );
  return bytes;
}

/** Addresses may carry a signature after the question mark. */
function shown(url: string): string {
  return (url.split(/[?#]/)[0] ?? '').replace(/\/\/[^/@]*@/, '//').slice(0, 200);
}

function refused(message: string): DocumentError {
  return new DocumentError('validation_error', message, { detail: 'image_refused' });
}
