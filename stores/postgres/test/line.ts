import { type AddressInfo, type Socket, connect, createServer } from 'node:net';
import {
  type Message,
  endsAnswer,
  endsQuestion,
  messageReader,
  processOf,
  textOf,
} from './wire.ts';

/** A line to a Postgres that can be cut at any question, or go silent without closing, as when a firewall forgets it. */
export interface Line {
  /** The same server by way of this line. */
  through(url: string): string;
  /** From now on questions are counted. Gives what was asked until `asked` is called. */
  watch(): { asked(): readonly string[] };
  /** Resolves when it has happened, with the server's process at the other end. */
  cutAt(cut: Cut): Promise<number>;
  /** From now on nothing gets through the connections that exist; new ones work. */
  silence(): void;
  cutAll(how: Exclude<How, 'silence'>): void;
  close(): Promise<void>;
}

export type How = 'reset' | 'close' | 'silence';

export interface Cut {
  /** The number of the question since `watch`, from 1. */
  readonly question: number;
  /** Before the question reaches the server, or after the server has answered and before the answer is seen. */
  readonly when: 'unasked' | 'unanswered';
  readonly how: How;
}

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  process: number;
  /** Set while the answer is to be lost. */
  losing: Planned | null;
}

type Planned = Cut & { readonly happened: (process: number) => void };

export async function startLine(target: string): Promise<Line> {
  const { hostname, port: farPort } = new URL(target);
  const pairs = new Set<Pair>();
  let asked: string[] = [];
  let planned: Planned | null = null;

  function perform(pair: Pair, { how, happened }: Planned): void {
    planned = null;
    end(pair, how);
    happened(pair.process);
  }

  function end(pair: Pair, how: How): void {
    if (how === 'silence') {
      pair.isSilent = true;
      return;
    }
    for (const socket of [pair.near, pair.far])
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroy();
  }

  function ask(pair: Pair, question: readonly Message[]): void {
    asked.push(textOf(question));
    const cut = planned?.question === asked.length ? planned : null;
    if (cut?.when === 'unasked') return perform(pair, cut);
    pair.losing = cut;
    pair.far.write(Buffer.concat(question.map(({ bytes }) => bytes)));
  }

  function answer(pair: Pair, message: Message): void {
    pair.process = processOf(message) ?? pair.process;
    if (pair.losing === null) pair.near.write(message.bytes);
    else if (endsAnswer(message)) perform(pair, pair.losing);
  }

  // Half-open sockets: a line that has gone silent does not answer a goodbye either.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const far = connect({
      host: hostname,
      port: Number(farPort),
      allowHalfOpen: true,
      noDelay: true,
    });
    const pair: Pair = { near, far, isSilent: false, process: 0, losing: null };
    pairs.add(pair);
    const read = messageReader({ startsWithStartup: true });
    const readAnswer = messageReader({ startsWithStartup: false });
    let question: Message[] = [];
    near.on('data', (data) => {
      for (const message of read(data)) {
        if (pair.isSilent || near.destroyed) return;
        question.push(message);
        // A password or a goodbye asks nothing that would be answered by "ready".
        const isQuestion = endsQuestion(message);
        if (isQuestion) ask(pair, question);
        else if (message.type === 'p' || message.type === 'X') far.write(message.bytes);
        else continue;
        question = [];
      }
    });
    far.on('data', (data) => {
      for (const message of readAnswer(data)) if (!pair.isSilent) answer(pair, message);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      one.on('error', () => {});
      one.on('end', () => pair.isSilent || other.end());
      one.on('close', () => {
        if (pair.isSilent) return;
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;

  return {
    through(url) {
      const through = new URL(url);
      through.hostname = '127.0.0.1';
      through.port = String(port);
      return through.href;
    },
    watch() {
      const since: string[] = [];
      asked = since;
      return { asked: () => since };
    },
    cutAt: (cut) =>
      new Promise((happened) => {
        planned = { ...cut, happened };
      }),
    silence() {
      for (const pair of pairs) pair.isSilent = true;
    },
    cutAll(how) {
      for (const pair of pairs) if (!pair.isSilent) end(pair, how);
    },
    close: () =>
      new Promise((resolve) => {
        for (const { near, far } of pairs) {
          near.destroy();
          far.destroy();
        }
        server.close(() => resolve());
      }),
  };
}
