import { settlePlace } from '@millrace/simulator-kit';
import { openAddress } from './http/address.ts';
import type { MarketingCloudOptions } from './options.ts';

/** Loaded by itself: the rest of the package follows with the first request. */
export interface LazyMarketingCloud {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * The simulator behind an address that is there at once. Loading it takes 0.1 s and 20 MB, which nobody has to spend who runs no
 * query: it is loaded when the first request comes.
 */
export async function startLazily(
  options: MarketingCloudOptions = {},
): Promise<LazyMarketingCloud> {
  const site = await openAddress(settlePlace(options, 'It is part of rest_instance_url.'));
  let made: Promise<import('./server.ts').Served> | null = null;
  const make = async () => (await import('./server.ts')).serveMarketingCloud(options, site);
  site.serve(async (request, body) => {
    made ??= make();
    return (await made).service(request, body);
  });
  return {
    origin: site.origin,
    async close() {
      await site.close();
      await (await made)?.end();
    },
  };
}
