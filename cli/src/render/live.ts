import type { Screen } from '../terminal/screen.ts';
import { cutPainted } from './width.ts';

const HIDE_CURSOR = '\u001B[?25l';
const SHOW_CURSOR = '\u001B[?25h';
const ERASE_TO_LINE_END = '\u001B[K';
const ERASE_BELOW = '\u001B[J';

/** Lines that are redrawn in place. They are cut to fit: one that wraps would not be found again. */
export interface Live {
  draw(lines: readonly string[]): void;
  /** Leaves what is drawn last on the screen; without lines, nothing. */
  end(lines?: readonly string[]): void;
}

export function createLive(screen: Screen): Live {
  let drawn = 0;
  let begun = false;

  /** One write per frame, so that no half of it is ever seen. */
  function write(lines: readonly string[], rest: string): void {
    const up = drawn === 0 ? '' : `\u001B[${drawn}A`;
    const body = lines.map((line) => `${line}${ERASE_TO_LINE_END}\n`).join('');
    screen.write(`\r${up}${body}${rest}`);
    drawn = lines.length;
  }

  return {
    draw(lines) {
      const seen = lines.slice(0, Math.max(screen.rows - 1, 1));
      write(
        seen.map((line) => cutPainted(line, screen.columns)),
        begun ? ERASE_BELOW : HIDE_CURSOR,
      );
      begun = true;
    },
    end(lines) {
      if (!begun && lines === undefined) return;
      write(lines ?? [], ERASE_BELOW + (begun ? SHOW_CURSOR : ''));
      drawn = 0;
      begun = false;
    },
  };
}
