/** A page of a simulator that runs beside, where people look inside and switch faults on. */
export interface SandboxPage {
  readonly name: string;
  readonly url: string;
  readonly what: string;
}

export interface SandboxOrigins {
  /** Each null where there is none. */
  readonly identity: string | null;
  readonly org: string | null;
  readonly marketingCloud: string | null;
}

export function sandboxPagesOf({ identity, org, marketingCloud }: SandboxOrigins): SandboxPage[] {
  const page = (name: string, url: string | null, what: string): SandboxPage[] =>
    url === null ? [] : [{ name, url, what }];
  return [
    ...page(
      'Identity',
      identity,
      'The issuer of this sandbox: its users, and faults to switch on.',
    ),
    ...page('Salesforce', org, 'A simulated org: its records, and faults to switch on.'),
    ...page(
      'Marketing Cloud',
      marketingCloud,
      'A simulated account: data extensions, queries, and faults to switch on.',
    ),
  ];
}
