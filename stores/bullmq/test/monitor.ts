import { connect } from 'node:net';

/**
 * Tells each command that the server runs, those of scripts included, from when it resolves. On a socket of its own: the
 * driver's monitor stumbles over commands that come before its own answer.
 */
export async function monitor(
  url: string,
  tell: (command: string, args: string[]) => void,
): Promise<() => void> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await new Promise<void>((resolve, reject) => {
    let rest = '';
    socket.on('error', reject);
    socket.on('data', (data) => {
      const lines = (rest + data.toString()).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '+OK') resolve();
        else {
          const [command = '', ...args] = Array.from(
            line.matchAll(/"((?:[^"\\]|\\.)*)"/g),
            ([, text = '']) => text,
          );
          tell(command, args);
        }
      }
    });
    socket.write('MONITOR\r\n');
  });
  return () => socket.destroy();
}
