import type { Server } from 'node:http';
import type { Millrace } from 'millrace';
import type pg from 'pg';

export function stopOnSignal(server: Server, millrace: Millrace, pool: pg.Pool): void {
  async function stop(): Promise<void> {
    server.close();
    await millrace.stop();
    await pool.end();
  }
  process.once('SIGTERM', () => void stop());
}
