import type { RunningServer } from '@millrace/api';
import type { Config, SalesforceConfig } from './config/config.ts';
import { createClosing } from './closing.ts';
import type { Door } from './http/door.ts';
import type { Logger } from './log/log.ts';
import { advertiseServer } from './running.ts';
import { type Sandbox, openSandbox, withSandboxOrg } from './sandbox.ts';

/**
 * What people and programs outside have hold of, and what therefore stays when everything else is started again with changed job files:
 * the sandbox with its sessions and sign-in link, the simulated org, the port, and what the command line knows.
 */
export interface Lasting {
  /** Null: the process listens by itself, as it is never started again. */
  readonly door: Door | null;
  /** Null where there is a real issuer, or nobody is asked. */
  sandbox(): Promise<Sandbox | null>;
  org(): Promise<{ readonly salesforce: SalesforceConfig; readonly page: string | null }>;
  advertiseServer(server: Pick<RunningServer, 'url' | 'client' | 'simulatedOrg'>): Promise<void>;
  close(): Promise<void>;
}

export function createLasting(config: Config, log: Logger, door: Door | null = null): Lasting {
  const closing = createClosing();
  if (door !== null) closing.add(() => door.close());
  let sandbox: ReturnType<Lasting['sandbox']> | null = null;
  let org: ReturnType<Lasting['org']> | null = null;
  let advertised: Promise<void> | null = null;

  async function openIssuer(): Promise<Sandbox | null> {
    if (config.identity.mode !== 'sandbox') return null;
    const opened = await openSandbox(config);
    closing.add(() => opened.close());
    return opened;
  }

  return {
    door,
    sandbox: () => (sandbox ??= openIssuer()),
    org: () => (org ??= withSandboxOrg(config, closing)),
    advertiseServer(serving) {
      const { runningFolder } = config;
      if (runningFolder === null) return Promise.resolve();
      return (advertised ??= advertiseServer(runningFolder, serving, log).then(closing.add));
    },
    close: closing.close,
  };
}
