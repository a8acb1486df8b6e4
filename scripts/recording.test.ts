import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { draw } from './recording/draw.mjs';
import { createTerminal } from './recording/terminal.mjs';

/** node scripts/recording.mjs makes the picture of a real run, which takes half a minute: here, of what was written by hand. */

const ESC = '\u001B';

describe('the terminal', () => {
  const textOf = (written: string) => {
    const terminal = createTerminal();
    terminal.write(written);
    return terminal.lines().map((runs) => runs.map(({ text }) => text).join(''));
  };

  test('draws lines again in place', () => {
    expect(textOf(`one 10 %\r\n${ESC}[1Aone 100 %${ESC}[K\r\ntwo`)).toEqual(['one 100 %', 'two']);
    expect(textOf(`a\r\nb\r\n${ESC}[2A${ESC}[Jc`)).toEqual(['c']);
    expect(textOf(`⠙${ESC}[1G${ESC}[0Kdone`)).toEqual(['done']);
  });

  test('keeps colours, and where they begin', () => {
    const terminal = createTerminal();
    terminal.write(
      `pg-1  ${ESC}[32mSUCCEEDED${ESC}[39m  ${ESC}[2min 4 ms${ESC}[22m${ESC}[?25h\r\n`,
    );
    expect(terminal.lines()[0]).toEqual([
      { at: 0, text: 'pg-1  ', style: '' },
      { at: 6, text: 'SUCCEEDED', style: 'green' },
      { at: 17, text: 'in 4 ms', style: 'dim' },
    ]);
  });
});

describe('the picture', () => {
  const run = (text: string) => [{ at: 0, text, style: '' }];
  const svg = draw(
    [
      { at: 0, lines: [run('$ go')] },
      { at: 1, lines: [run('$ go'), run('10 %')] },
      { at: 2, lines: [run('$ go'), run('<done>')] },
    ],
    { columns: 20, title: 'A & B' },
  );

  test('shows the end where nothing moves', () => {
    const still = svg.replaceAll(/<g id="\w+" class="gone">.*?<\/g>/g, '');
    expect(still).toContain('>$ go</text>');
    expect(still).toContain('>&lt;done&gt;</text>');
    expect(still).not.toContain('>10 %</text>');
    expect(svg).toContain('>10 %</text>');
  });

  test('moves only for those who want it, without a script', () => {
    const [, before = '', moving = ''] =
      /<style>(.*?)(@media \(prefers-reduced-motion: no-preference\).*)<\/style>/s.exec(svg) ?? [];
    expect(before).not.toContain('animation');
    // 8 s in all: the last line comes after 2.
    expect(moving).toContain('25.00%{visibility:visible}100%{visibility:visible}');
    expect(moving).toContain('12.50%{visibility:visible}25.00%,100%{visibility:hidden}');
    expect(svg).not.toMatch(/<script|on\w+=|href=/);
  });

  test('of the README has commands that the README has', () => {
    const root = join(import.meta.dirname, '..');
    const readme = readFileSync(join(root, 'README.md'), 'utf8');
    const picture = readFileSync(join(root, 'docs/pictures/terminal.svg'), 'utf8');
    const [, text = ''] = /<desc[^>]*>(.*?)<\/desc>/s.exec(picture) ?? [];
    const commands = text
      .split('\n')
      .filter((line) => line.startsWith('$ '))
      .map((line) => line.slice(2).trim());
    expect(commands.length).toBeGreaterThanOrEqual(3);
    for (const command of commands) expect(readme).toContain(command);
    expect(picture).not.toMatch(/<script|href=|\/(tmp|home|root|work)\//);
  });
});
