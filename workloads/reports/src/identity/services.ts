import { type Checked, ROLES, checkSchema, fields, oneOrMore, word } from '@millrace/workload-kit';
import { z } from 'zod';
import type { ServiceIdentity } from './types.ts';

/** The file of the folder that is no report. */
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
