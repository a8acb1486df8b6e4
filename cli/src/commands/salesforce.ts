import type { Salesforce } from '@millrace/salesforce';
import type { Check, Finding } from '@millrace/store-salesforce';
import { defineCommand } from '../line/command.ts';
import type { Context } from '../context.ts';
import { EXIT, type ExitCode } from '../line/exit.ts';
import { text } from '../line/option.ts';
import { orgSettings } from '../org-settings.ts';
import type { Style } from '../render/colour.ts';
import { clean } from '../render/width.ts';
import { UsageError } from '../line/usage-error.ts';

const TITLES: Readonly<Record<Check, string>> = {
  login: 'login',
  apiVersion: 'API version',
  objects: 'objects',
  fields: 'fields',
  apex: 'Apex',
  permissions: 'permissions',
  sharing: 'sharing',
  namedCredential: 'named credential',
  allowance: 'allowance',
};

const STYLES: Readonly<Record<Finding['verdict'], Style>> = {
  ok: 'green',
  missing: 'red',
  'cannot tell': 'yellow',
};

export const salesforce = defineCommand({
  name: 'salesforce',
  summary: 'Checks a Salesforce org, and says what to fix.',
  usage: ['check [--record ID] [--org NAME]'],
  words: { least: 1, most: 1 },
  options: {
    record: text('ID', 'Also checks that the user may edit this record.'),
    org: text('NAME', 'One of SALESFORCE_ORGS; default: SALESFORCE_CLIENT_ID.'),
  },
  examples: [
    'millrace salesforce check',
    'millrace salesforce check --record 0065g00000XyZabAAB',
    'millrace salesforce check --json | jq \'select(.verdict == "missing")\'',
  ],
  async run(context, { words: [verb = ''], options: { record, org } }) {
    if (verb !== 'check') throw new UsageError(`Unknown: salesforce ${verb}. Use check.`);
    const { createSalesforce, isId } = await import('@millrace/salesforce');
    if (record !== undefined && !isId(record)) {
      throw new UsageError(
        `--record takes the id of a record, 15 or 18 characters, not "${String(record)}".`,
      );
    }
    const { checkOrg } = await import('@millrace/store-salesforce');
    const { connection, names } = await orgSettings(context.world.env, org);
    const connected = opened(() => createSalesforce(connection));
    try {
      const findings: Finding[] = [];
      for await (const finding of checkOrg({ salesforce: connected, names, sample: record })) {
        findings.push(finding);
        show(context, finding);
      }
      return exitOf(findings);
    } finally {
      await connected.close();
    }
  },
});

function show({ out, json, quiet, document }: Context, finding: Finding): void {
  const { check, verdict, found, advice } = finding;
  if (json) {
    document(finding);
  } else if (quiet) {
    if (verdict !== 'ok') out.line(check);
  } else {
    const said = `${verdict.padEnd(11)}  ${TITLES[check].padEnd(16)}`;
    const todo = advice === null ? '' : ` ${clean(advice)}`;
    out.line(`${out.paint(STYLES[verdict], said)}  ${clean(found)}${todo}`);
  }
}

/** Problems of the settings themselves are reported before the org is called. */
function opened(open: () => Salesforce): Salesforce {
  try {
    return open();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'invalid_config') {
      throw new UsageError(thrown.message);
    }
    throw thrown;
  }
}

/** An unknown finding is not a failure, unless it is the last: then the org could not be reached. */
function exitOf(findings: readonly Finding[]): ExitCode {
  if (findings.some(({ verdict }) => verdict === 'missing')) return EXIT.failed;
  return findings.at(-1)?.check === 'allowance' ? EXIT.ok : EXIT.unreachable;
}
