import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { z } from 'zod';

/** What settings of a Postgres database may be: that of the queue, and those that workloads read. */

/** As libpq's sslmode. Its `allow` and `prefer` are left out: they give way to whoever cuts TLS off. */
export const TLS_MODES = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

export const postgresUrl = z
  .string()
  .refine((value) => /^postgres(ql)?:\/\//.test(value) && URL.canParse(value), {
    error: 'Write a URL such as postgres://user:password@host:5432/database.',
  });

/** A path, or the certificates themselves: all of them, since one file may have several authorities. */
export const certificates = z.string().transform((value, context) => {
  try {
    const pem = value.includes('-----BEGIN')
      ? value.replaceAll('\\n', '\n')
      : readFileSync(value, 'utf8');
    const all = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
    if (all.length === 0) throw new Error('none');
    return all.map((each) => new X509Certificate(each).toString()).join('');
  } catch {
    const message = 'Write the path of a file with certificates in PEM, or the PEM itself.';
    context.issues.push({ code: 'custom', input: '', message });
    return z.NEVER;
  }
});
