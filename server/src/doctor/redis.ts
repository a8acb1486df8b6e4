import { connect } from 'node:net';
import { connect as connectTls } from 'node:tls';

/** Null when something that speaks Redis answers; that it wants a password is an answer too. Never says the URL: it may have one. */
export function pingRedis(url: string, limitMs: number): Promise<string | null> {
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol))
    return Promise.resolve('it is not a URL such as redis://host:6379.');
  const { protocol, hostname, port } = new URL(url);
  const place = { host: hostname, port: Number(port || 6379) };
  return new Promise((resolve) => {
    const socket =
      protocol === 'rediss:' ? connectTls({ ...place, servername: hostname }) : connect(place);
    const end = (trouble: string | null): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(trouble);
    };
    const timer = setTimeout(() => end('it does not answer.'), limitMs);
    socket.on('error', ({ message }) => end(message));
    socket.on('data', (data) =>
      end(/^(\+PONG|-NOAUTH)/.test(data.toString()) ? null : 'what answers there is not Redis.'),
    );
    socket.write('PING\r\n');
  });
}
