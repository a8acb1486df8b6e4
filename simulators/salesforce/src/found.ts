import { NO_FAULTS, type Org } from './org.ts';
import { findUser } from './oauth/token.ts';

/** The records that an org has from its first day: itself, and its users. */
export async function foundOrg(org: Org): Promise<void> {
  const organizations = org.schema.require('Organization');
  const users = org.schema.require('User');
  const caller = { userId: '', strikes: NO_FAULTS };
  await org.transact(caller, async (work) => {
    const known = [...work.tx.rows(organizations)][0]?.Id;
    org.home.organizationId =
      known ??
      (await org.dml.seed(work, organizations, {
        Name: 'Millrace Sandbox',
        InstanceName: 'SIM1',
        OrganizationType: 'Developer Edition',
        IsSandbox: true,
      }));
    for (const { username, name = username, email = null } of org.settings.users) {
      if (findUser(org, username) !== undefined) continue;
      const [first, ...rest] = name.split(' ');
      await org.dml.seed(work, users, {
        Username: username,
        FirstName: rest.length === 0 ? null : (first ?? null),
        LastName: rest.length === 0 ? name : rest.join(' '),
        Email: email,
        Alias: username.slice(0, 8),
      });
    }
  });
}
