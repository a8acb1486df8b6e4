import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';

/** A mail server that keeps what it is given. */
export interface MailServer {
  readonly url: string;
  readonly mails: { readonly to: string[]; readonly text: string }[];
  /** What it answers from now on; null: it takes everything. */
  answer: { readonly code: number; readonly at: 'recipient' | 'data' } | null;
  close(): Promise<void>;
}

const [USER, PASSWORD] = ['millrace', 'a secret'];

export async function startMailServer(): Promise<MailServer> {
  const mails: MailServer['mails'] = [];
  const refusal = (code: number) => Object.assign(new Error('not now'), { responseCode: code });
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth({ username, password }, _session, callback) {
      if (username === USER && password === PASSWORD) callback(null, { user: username });
      else callback(new Error('no'));
    },
    onRcptTo(address, _session, callback) {
      const isRefused = started.answer?.at === 'recipient' || address.address.startsWith('nobody');
      callback(isRefused ? refusal(started.answer?.code ?? 550) : null);
    },
    onData(stream, session, callback) {
      const parts: Buffer[] = [];
      stream.on('data', (part: Buffer) => parts.push(part));
      stream.on('end', () => {
        if (started.answer?.at === 'data') return callback(refusal(started.answer.code));
        mails.push({
          to: session.envelope.rcptTo.map(({ address }) => address),
          text: Buffer.concat(parts).toString(),
        });
        callback(null);
      });
    },
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.server.address() as AddressInfo;
  const started: MailServer = {
    url: `smtp://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    mails,
    answer: null,
    close: () =>
      new Promise((resolve) => {
        server.close(resolve);
      }),
  };
  return started;
}
