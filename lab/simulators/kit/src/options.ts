import { inUrl, isLoopbackName } from './loopback.ts';

/** The caller of `start…` gave something that will not do. The sentence begins with the option's name. */
export function invalidOption(message: string): Error {
  return Object.assign(new Error(message), { code: 'invalid_option' });
}

/** Where a simulator listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
  /** Who is not on this machine cannot reach it. */
  readonly onLoopback: boolean;
}

/** `repeated` says where the host is repeated, which is why it has to be one address. */
export function settlePlace(
  options: { readonly host?: string; readonly port?: number },
  repeated: string,
): Place {
  const host = (options.host ?? '127.0.0.1').replace(/^\[(.*)\]$/, '$1');
  const port = options.port ?? 0;
  if (['', '0.0.0.0', '::', '*'].includes(host) || !URL.canParse(`http://${inUrl(host)}`)) {
    throw invalidOption(`host: name one address. ${repeated}`);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw invalidOption('port: give a whole number from 0 (a free one) to 65535.');
  }
  return { host, port, onLoopback: isLoopbackName(inUrl(host)) };
}

/** `least` has the smallest value that each may have. */
export function checkWholeNumbers<Name extends string>(
  settings: NoInfer<Readonly<Record<Name, number>>>,
  least: Readonly<Record<Name, number>>,
): void {
  for (const name of Object.keys(least) as Name[]) {
    if (!Number.isInteger(settings[name]) || settings[name] < least[name]) {
      throw invalidOption(`${name}: give a whole number from ${least[name]}.`);
    }
  }
}

export function checkDistinct(option: string, member: string, values: readonly string[]): void {
  if (values.includes('')) throw invalidOption(`${option}: one has no ${member}.`);
  if (new Set(values).size < values.length) {
    throw invalidOption(`${option}: two have the same ${member}.`);
  }
}
