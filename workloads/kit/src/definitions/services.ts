import { z } from 'zod';
import { ROLES } from '../contract/access.ts';
import { type Checked, checkSchema, fields, oneOrMore, word } from './check.ts';

/** An entry of services.yaml: who schedules and rules may run as. */
export interface ServiceIdentity {
  readonly name: string;
  readonly title: string | null;
  /** Whose its jobs are; empty: the only tenant. */
  readonly tenant: string;
  readonly roles: readonly string[];
  readonly claims: Readonly<Record<string, readonly string[]>>;
}

/** The file of the folder that defines none of what the others do. */
export const SERVICES = 'services';

const claimValue = z
  .union([z.string().min(1), z.number(), z.boolean()], {
    error: 'write a text or a number, or a list of them.',
  })
  .transform(String);

export const claimName = z
  .string()
  .regex(/^[\w.:/-]{1,200}$/, { error: 'this is no name of a claim.' });

/** Values by the name of a claim. */
export const claimValues = z.record(claimName, oneOrMore(claimValue));

const service = fields({
  title: z.string().min(1).optional(),
  tenant: z.string().max(100).optional(),
  roles: oneOrMore(word(ROLES)).optional(),
  claims: claimValues.optional(),
});

const serviceName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,99}$/, {
    error: 'a service is named with small letters, digits and hyphens.',
  })
  .refine((name) => name !== 'parent', {
    error: 'rules say "parent" for the identity of the report before. Choose another name.',
  });

const services = z.record(serviceName, service.nullable());

/** services.yaml: who schedules and rules may run as. */
export function checkServices(value: unknown): Checked<ReadonlyMap<string, ServiceIdentity>> {
  const checked = checkSchema(services, value ?? {});
  if ('complaints' in checked) return checked;
  return {
    value: new Map(
      Object.entries(checked.value).map(([name, entry]) => [
        name,
        {
          name,
          title: entry?.title ?? null,
          tenant: entry?.tenant ?? '',
          roles: [...new Set(entry?.roles)],
          claims: entry?.claims ?? {},
        },
      ]),
    ),
  };
}
