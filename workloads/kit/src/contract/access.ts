/** App roles, the least first: each may do what those before it may. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** `anyone` is asked nothing; `signedIn` needs a good token and no role. */
export type Access = 'anyone' | 'signedIn' | Role;

/** Whether someone with these roles may. */
export function allows(access: Access, roles: readonly string[]): boolean {
  if (access === 'anyone' || access === 'signedIn') return true;
  return ROLES.slice(ROLES.indexOf(access)).some((role) => roles.includes(role));
}
