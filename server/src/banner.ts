import type { Config } from './config/config.ts';
import type { Millrace } from './millrace.ts';
import { SANDBOX_USERS } from './sandbox.ts';
import { storePlace } from './store.ts';

/** The start-up summary for a person at a terminal. */
export function banner(
  config: Config,
  {
    address,
    jobs,
    sandbox,
    sandboxOrg,
  }: Pick<Millrace, 'address' | 'jobs' | 'sandbox' | 'sandboxOrg'>,
  marketingCloud: string | null = null,
  /** Where the process logs, unless here. */
  logFile: string | null = null,
): string {
  const kinds = jobs.kinds.map(({ kind }) => kind).toSorted();
  const lines: [string, string][] = [
    ['data', storePlace(config)],
    [
      'jobs',
      kinds.length === 0 ? `none yet; declare one in ${config.jobsFolder}` : kinds.join(', '),
    ],
    ...(jobs.schedules.length > 0
      ? [
          ['cron', jobs.schedules.map(({ name, cron }) => `${name} (${cron})`).join(', ')] as [
            string,
            string,
          ],
        ]
      : []),
    ...(sandbox === null
      ? []
      : [
          ['open', sandbox.entrance(`${address}/console/?enter`)] as [string, string],
          ['user', `${SANDBOX_USERS.join(', ')}; password ${sandbox.password}`] as [string, string],
        ]),
    ...(sandboxOrg === null
      ? []
      : ([
          ['org ', `a simulated Salesforce org at ${sandboxOrg}`],
          ['    ', 'its invoices are the document.salesforce jobs of "millrace jobs"'],
        ] as [string, string][])),
    ...(marketingCloud === null
      ? []
      : ([['mce ', `a simulated Marketing Cloud at ${marketingCloud}`]] as [string, string][])),
    ...(config.role === 'all' ? [] : [['role', config.role] as [string, string]]),
    ...(logFile === null ? [] : [['logs', logFile] as [string, string]]),
    ['stop', 'Ctrl-C'],
  ];
  return `\n  Millrace is at ${address}\n\n${lines.map(([name, value]) => `  ${name}  ${value}`).join('\n')}\n\n`;
}
