import { type Socket, connect, createServer } from 'node:net';
import type { AddressInfo } from 'node:net';

/** An address that leads to one server, and from some moment on to another, as after a fail-over. */
export async function startSwitchboard(firstUrl: string) {
  let target = new URL(firstUrl);
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const line = connect(Number(target.port), target.hostname);
    for (const socket of [client, line]) {
      open.add(socket);
      socket.on('error', () => {});
      socket.on('close', () => {
        open.delete(socket);
        client.destroy();
        line.destroy();
      });
    }
    client.pipe(line).pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const cut = (): void => open.forEach((socket) => socket.destroy());
  return {
    url: `redis://127.0.0.1:${(server.address() as AddressInfo).port}`,
    switchTo(url: string) {
      target = new URL(url);
      cut();
    },
    async close() {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
