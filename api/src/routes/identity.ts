import { type Contract, ROLES, moment, tenantName } from '@millrace/workload-kit/contract';
import { z } from 'zod';

const place = {
  version: z.string().describe('Of Millrace.'),
  environment: z
    .string()
    .nullable()
    .describe('What the operators call this installation; null: it has no name.'),
  sandbox: z.boolean().describe('It stands on simulators: nothing here reaches the outside.'),
};

/** Which installation this is. */
export type Place = z.infer<z.ZodObject<typeof place>>;

export const signIn = z.object({
  ...place,
  required: z.boolean().describe('False only in development, with the bypass.'),
  issuer: z.string().nullable().describe('The OpenID Connect issuer that tokens come from.'),
  clientId: z
    .string()
    .nullable()
    .describe('The public client to sign in with; null: there is none.'),
  scope: z.string().nullable().describe('What to ask the issuer for.'),
});
export type SignIn = z.infer<typeof signIn>;

export const me = z.object({
  ...place,
  name: z.string().describe('As it stands in the audit log.'),
  subject: z
    .string()
    .describe('The oid of the token, or its sub: it stays the same when the name changes.'),
  roles: z.array(z.enum(ROLES)),
  tenants: z
    .array(tenantName)
    .nullable()
    .describe('Those of the token, where new things go first; null: tenants are no boundary here.'),
  claims: z
    .record(z.string(), z.array(z.string()))
    .describe('Those of CALLER_CLAIMS that the token has: row rules of reports go by them.'),
  expiresAt: moment.nullable().describe('When the token ends.'),
});
export type Me = z.infer<typeof me>;

export const identityContracts = {
  signIn: {
    method: 'GET',
    path: '/signin',
    summary: 'Where to get a token for this service.',
    access: 'anyone',
    response: signIn,
    statuses: [200],
    example: {
      response: {
        version: '0.1.0',
        environment: 'production',
        sandbox: false,
        required: true,
        issuer: 'https://login.microsoftonline.com/5d2f6c3e-8a41-4c7b-9d7e-1b0a4f6e2c90/v2.0',
        clientId: '1f0c5e0a-5f0d-4a53-9d5b-5f6f2f6c9a11',
        scope: 'api://0c9d3f52-7f1e-4a0c-8a55-3c1d6b1e7f20/.default',
      },
    },
  },
  me: {
    method: 'GET',
    path: '/me',
    summary: 'Who you are to this service, and what you may do.',
    access: 'signedIn',
    response: me,
    statuses: [200],
    example: {
      response: {
        environment: 'production',
        sandbox: false,
        version: '0.1.0',
        name: 'ada@example.com',
        subject: 'b7b0c6c4-4f6e-4c0b-a3a5-0d3a4b1f2c11',
        roles: ['operator'],
        tenants: ['acme'],
        claims: { county: ['19'] },
        expiresAt: '2026-01-31T10:30:00.000Z',
      },
    },
  },
} as const satisfies Record<string, Contract>;
