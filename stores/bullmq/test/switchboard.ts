import { type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

interface Call {
  readonly client: Socket;
  readonly line: Socket;
  isSilent: boolean;
  losesAnswer: boolean;
}

/** An address that leads to one server, and can do what lines do: lead to another, lose an answer, go silent. */
export async function startSwitchboard(firstUrl: string) {
  let target = new URL(firstUrl);
  let lost: string | null = null;
  const calls = new Set<Call>();
  const cut = ({ client, line }: Call): void => {
    client.destroy();
    line.destroy();
  };
  const server = createServer((client) => {
    const line = connect(Number(target.port), target.hostname);
    const call: Call = { client, line, isSilent: false, losesAnswer: false };
    calls.add(call);
    for (const socket of [client, line]) {
      socket.on('error', () => {});
      socket.on('close', () => {
        calls.delete(call);
        cut(call);
      });
    }
    client.on('data', (data) => {
      if (call.isSilent) return;
      if (lost !== null && data.includes(lost)) {
        call.losesAnswer = true;
        lost = null;
      }
      line.write(data);
    });
    line.on('data', (data) => {
      if (call.isSilent) return;
      if (call.losesAnswer) cut(call);
      else client.write(data);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    switchTo(url: string) {
      target = new URL(url);
      calls.forEach(cut);
    },
    /** The next command with this text is run, and its answer lost with the connection. */
    loseAnswerTo(text: string) {
      lost = text;
    },
    /** Nothing gets through any more on the connections that are open now, and nobody is notified. */
    silence() {
      for (const call of calls) call.isSilent = true;
    },
    async close() {
      calls.forEach(cut);
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
