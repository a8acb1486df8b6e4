import { spawn } from 'node:child_process';
import type { Environment } from './screen.ts';

/** The command that opens a page on this machine; null without a display. */
export function browserOpener(
  platform: NodeJS.Platform,
  env: Environment,
): ((address: string) => void) | null {
  const command = openerOf(platform, env);
  if (command === null) return null;
  const [program, ...args] = command;
  return (address) => {
    const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
    // The address is printed too: where the program is missing, people can open it themselves.
    child.on('error', () => {});
    child.unref();
  };
}

/** No shell among them: `&` in an address would end the command. */
function openerOf(platform: NodeJS.Platform, env: Environment): [string, ...string[]] | null {
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler'];
  // The screen of someone who came by ssh is elsewhere.
  if (platform === 'darwin') return env['SSH_CONNECTION'] ? null : ['open'];
  return env['DISPLAY'] || env['WAYLAND_DISPLAY'] ? ['xdg-open'] : null;
}
