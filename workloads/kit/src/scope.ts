/** What a caller may see and act on. Whoever answers a request is given nothing beyond it. */
export interface Scope {
  readonly tenants: readonly string[] | 'all';
  /** Where what the caller makes belongs. */
  readonly tenant: string;
  /** Of those tenants, only what this submitter has made; null: everything. */
  readonly owner: string | null;
}

/** Where there is one tenant, and the caller may see all of it. */
export const EVERYTHING: Scope = { tenants: 'all', tenant: '', owner: null };
