import { execFileSync } from 'node:child_process';
import { chownSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startPostgres } from '../../../scripts/services.mjs';

/** A Postgres that lets the role `app` in with TLS and a password only, as those of Azure do. */
export interface TlsServer {
  /** The address for the role `app`, without a password. Its certificate is for 127.0.0.1 and for no name. */
  readonly url: string;
  /** The authority of its certificate, and one that knows nothing of it: in PEM, and where the file is. */
  readonly authority: Authority;
  readonly stranger: Authority;
  setPassword(password: string): Promise<void>;
  /** Ends the sessions of `app`, so that the next question needs a new connection. */
  cut(): Promise<void>;
  /** The connections of `app`: whether they are encrypted. */
  sessions(): Promise<boolean[]>;
  remove(): Promise<void>;
}

export interface Authority {
  readonly pem: string;
  readonly file: string;
}

/** `app` may change the schema `millrace`, and reaches nothing without TLS. */
const RULES = `
host all postgres 127.0.0.1/32 trust
hostssl all app 127.0.0.1/32 scram-sha-256
`;

export async function startTlsServer(): Promise<TlsServer> {
  const server = await startPostgres({ settings: { fsync: 'off' } });
  const folder = mkdtempSync(join(tmpdir(), 'millrace-tls-'));
  const authority = makeAuthority(folder, 'authority');
  const stranger = makeAuthority(folder, 'stranger');
  const setUp = new pg.Client(server.url);
  await setUp.connect();
  const { rows } = await setUp.query<{ folder: string }>(
    `SELECT current_setting('data_directory') AS folder`,
  );
  const data = rows[0]?.folder ?? '';
  makeCertificate(folder, data);
  writeFileSync(join(data, 'pg_hba.conf'), RULES);
  await setUp.query('ALTER SYSTEM SET ssl = on');
  await setUp.query('CREATE ROLE app LOGIN');
  await setUp.query('GRANT CREATE ON DATABASE postgres TO app');
  await setUp.end();
  // TLS and the rules could be reloaded, but nobody would say when that has been done.
  await server.stop();
  await server.start();
  const admin = new pg.Client(server.url);
  await admin.connect();

  const url = new URL(server.url);
  url.username = 'app';
  return {
    url: url.href,
    authority,
    stranger,
    async setPassword(password) {
      await admin.query(`ALTER ROLE app PASSWORD ${admin.escapeLiteral(password)}`);
    },
    async cut() {
      await admin.query(
        `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE usename = 'app'`,
      );
    },
    async sessions() {
      const { rows: found } = await admin.query<{ ssl: boolean }>(
        `SELECT ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE usename = 'app'`,
      );
      return found.map(({ ssl }) => ssl);
    },
    async remove() {
      await admin.end();
      await server.remove();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function makeAuthority(folder: string, name: string): Authority {
  const file = join(folder, `${name}.pem`);
  const key = join(folder, `${name}.key`);
  openssl(
    `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=${name} -keyout ${key} -out ${file}`,
  );
  return { pem: readFileSync(file, 'utf8'), file };
}

/** Postgres refuses a key that anyone else could read, so it belongs to the account that its folder belongs to. */
function makeCertificate(folder: string, data: string): void {
  const [key, request, extensions] = ['server.key', 'server.csr', 'extensions'].map((name) =>
    join(name === 'server.key' ? data : folder, name),
  );
  const certificate = join(data, 'server.crt');
  writeFileSync(extensions ?? '', 'subjectAltName=IP:127.0.0.1\n');
  openssl(
    `req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=database -keyout ${key} -out ${request}`,
  );
  openssl(
    `x509 -req -in ${request} -CA ${folder}/authority.pem -CAkey ${folder}/authority.key -CAcreateserial -days 2 -extfile ${extensions} -out ${certificate}`,
  );
  const { uid, gid } = statSync(data);
  for (const file of [key ?? '', certificate]) chownSync(file, uid, gid);
}

function openssl(args: string): void {
  execFileSync('openssl', args.split(' '), { stdio: 'pipe' });
}
