import { describe, expect, it } from 'vitest';
import { encodeText } from '../../lib/index.ts';
import { memoryFiles } from './deaths.fixtures.ts';
import { FIRST_LOG_TAIL_BYTES, FIRST_LOG_TAIL_LINES, LOG_TAIL_BYTES, LOG_TAIL_LINES } from './limits.ts';
import { cutTail, readLogTail } from './log-tail.ts';

const line = (text: string, tag = 'F') => `2026-01-01T00:00:00.000000001Z stdout ${tag} ${text}\n`;
const lines = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => line(`l${from + i}`)).join('');

describe('cutTail', () => {
  it.each([
    ['all of a short log', lines(1, 3), true, 'l1\nl2\nl3\n', false],
    ['the last lines', lines(1, 9), true, 'l5\nl6\nl7\nl8\nl9\n', true],
    ['what begins in the middle of a line', `rest of a line\n${lines(7, 9)}`, false, 'l7\nl8\nl9\n', true],
    ['a line in parts', `${line('a', 'P')}${line('b', 'P')}${line('c')}`, true, 'abc\n', false],
    ['a last line without its end', `${line('a')}${line('b', 'P')}`, true, 'a\nb', false],
    ['a torn last line', `${line('a')}2026-01-01T00:00:00Z stdo`, true, 'a\n', false],
    ['empty lines', `${line('')}${line('')}`, true, '\n\n', false],
    ['no log', '', true, '', false],
  ])('%s', (_name, text, begun, tail, truncated) => {
    expect(cutTail(encodeText(text), begun, { lines: 5, bytes: 1000 })).toEqual({ tail, truncated });
  });

  it('keeps whole lines within its bytes, and whole characters where lines are too long', () => {
    expect(cutTail(encodeText(lines(10, 19)), true, { lines: 40, bytes: 10 })).toEqual({
      tail: 'l18\nl19\n',
      truncated: true,
    });
    const { tail } = cutTail(encodeText(line('ä'.repeat(50))), true, { lines: 40, bytes: 20 });
    expect(tail).toBe(`${'ä'.repeat(9)}\n`);
  });
});

describe('readLogTail', () => {
  const limits = { lines: 4, bytes: 100 };

  it('is undefined where there is no log', async () => {
    expect(await readLogTail(memoryFiles().fs, '/logs/0.log', limits)).toBeUndefined();
  });

  it('reads the end of a long log alone', async () => {
    const { fs, files } = memoryFiles();
    files.set('/logs/0.log', lines(1, 500));
    expect(await readLogTail(fs, '/logs/0.log', limits)).toEqual({ tail: 'l497\nl498\nl499\nl500\n', truncated: true });
  });

  it('goes on in the file before where the log was just rotated', async () => {
    const { fs, files } = memoryFiles();
    files.set('/logs/0.log.20260101-000000', lines(1, 3));
    files.set('/logs/0.log.20260102-000000', lines(4, 6));
    files.set('/logs/0.log.20251231-000000.gz', 'x');
    files.set('/logs/0.log', lines(7, 7));
    expect(await readLogTail(fs, '/logs/0.log', limits)).toEqual({ tail: 'l4\nl5\nl6\nl7\n', truncated: false });
  });

  it.each([
    ['a first death', { lines: FIRST_LOG_TAIL_LINES, bytes: FIRST_LOG_TAIL_BYTES }, 64 * 1024],
    ['a later death', { lines: LOG_TAIL_LINES, bytes: LOG_TAIL_BYTES }, 16 * 1024],
  ])('reads no more of the log of %s than its bound, however long log and lines are', async (_, given, bound) => {
    const { fs, files } = memoryFiles();
    files.set('/logs/0.log.20260101-000000', line('old '.repeat(300_000)).repeat(3));
    let read = 0;
    const counting: typeof fs = {
      ...fs,
      openFileBelow: async (root, path) => {
        const file = await fs.openFileBelow(root, path);
        if (file === undefined) return undefined;
        const readAt: typeof file.readAt = async (position, length) => {
          const bytes = await file.readAt(position, length);
          read += bytes.length;
          return bytes;
        };
        return { ...file, size: () => file.size(), close: () => file.close(), readAt };
      },
    };
    for (const log of [lines(1, 100_000), line('x'.repeat(3_000_000)), line('just rotated')]) {
      files.set('/logs/0.log', log);
      read = 0;
      const found = await readLogTail(counting, '/logs/0.log', {
        ...given,
        decides: { finishedAt: '2026-01-01T00:00:01Z' },
      });
      expect(read).toBeGreaterThan(0);
      // A log that was just rotated has its last words in two files.
      expect(read).toBeLessThanOrEqual(log.length < bound ? log.length + bound : bound);
      expect(found?.tail.length).toBeLessThanOrEqual(given.bytes);
    }
  });
});
