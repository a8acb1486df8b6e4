import type { LeafHandler } from './request.ts';

const FIRST_VERSION = 31;
export const LAST_VERSION = 67;

export interface Version {
  readonly label: string;
  readonly url: string;
  readonly version: string;
}

/** `GET /services/data`, which needs no session and is no call. */
export function versions(): Version[] {
  return Array.from({ length: LAST_VERSION - FIRST_VERSION + 1 }, (_, index) => {
    const number = FIRST_VERSION + index;
    const season = ['Spring', 'Summer', 'Winter'][number % 3] ?? '';
    const year = Math.floor((number + 13) / 3); // 32 was Winter '15, and there are three a year
    const version = `${number}.0`;
    return { label: `${season} '${year}`, url: `/services/data/v${version}`, version };
  });
}

export function isVersion(version: string): boolean {
  const number = Number(version.slice(1));
  return version.endsWith('.0') && number >= FIRST_VERSION && number <= LAST_VERSION;
}

/** `GET /services/data/v64.0`: where everything is. */
export const resources: LeafHandler = async ({ org, caller, request }) => {
  const base = `/services/data/${request.version}`;
  const names = ['sobjects', 'query', 'queryAll', 'limits', 'composite'];
  return {
    status: 200,
    body: {
      ...Object.fromEntries(names.map((name) => [name, `${base}/${name}`])),
      identity: org.identityUrl(caller.userId),
    },
  };
};
