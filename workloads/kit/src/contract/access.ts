/**
 * App roles, the least first: each may call what those before it may. A viewer looks at everything of their tenants; a member
 * makes jobs and documents, and sees and acts on their own only.
 */
export const ROLES = ['viewer', 'member', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** Names the tenant that a request is about, where its caller belongs to several; written as in a URL. */
export const TENANT_HEADER = 'millrace-tenant';

/** `anyone` is asked nothing; `signedIn` needs a good token and no role. */
export type Access = 'anyone' | 'signedIn' | Role;

/** Whether someone with these roles may. */
export function allows(access: Access, roles: readonly string[]): boolean {
  if (access === 'anyone' || access === 'signedIn') return true;
  return ROLES.slice(ROLES.indexOf(access)).some((role) => roles.includes(role));
}
