import { type Contract, ROLES, moment, tenantName } from '@millrace/workload-kit/contract';
import { z } from 'zod';

const place = {
  version: z.string().describe('The version of Millrace.'),
  environment: z
    .string()
    .nullable()
    .describe('The name of this installation; null if it has none.'),
  sandbox: z.boolean().describe('True if it runs on simulators and reaches nothing outside.'),
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
    .describe('The public client to sign in with; null if there is none.'),
  scope: z.string().nullable().describe('The scope to request from the issuer.'),
});
export type SignIn = z.infer<typeof signIn>;

export const me = z.object({
  ...place,
  name: z.string().describe('The name written to the audit log.'),
  subject: z.string().describe('The token’s oid, or its sub; stable when the name changes.'),
  roles: z.array(z.enum(ROLES)),
  tenants: z
    .array(tenantName)
    .nullable()
    .describe(
      'The tenants of the token; new items go to the first. Null if tenants do not limit access here.',
    ),
  claims: z
    .record(z.string(), z.array(z.string()))
    .describe('The claims of CALLER_CLAIMS that the token has; row rules of reports use them.'),
  expiresAt: moment.nullable().describe('When the token expires.'),
});
export type Me = z.infer<typeof me>;

export const identityContracts = {
  signIn: {
    method: 'GET',
    path: '/signin',
    summary: 'Where to get a token for this server.',
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
    summary: 'Your identity, roles and tenants.',
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
