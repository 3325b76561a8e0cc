import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { concatBytes, decodeText, encodeText } from '../../lib/index.ts';
import { memoryOpenFile } from '../../../test/support/memory-open-file.ts';
import { createManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { LogOptions } from '../pods/log-format.ts';
import { FOLLOW_DRAIN_MS, PUT_AWAY_WAIT_MS } from './limits.ts';
import { type LogSource, readLog } from './log-reader.ts';

const PATH = '/logs/app/0.log';
const NONE: LogOptions = { follow: false, previous: false, timestamps: false };

/** A folder of log files that the test writes, and that tells its watchers. */
class LogFolder {
  readonly files = new Map<string, { bytes: Uint8Array }>();
  readonly watchers = new Set<() => void>();

  append(text: string | Uint8Array, path = PATH): void {
    const file = this.files.get(path) ?? { bytes: new Uint8Array() };
    file.bytes = concatBytes([file.bytes, typeof text === 'string' ? encodeText(text) : text]);
    this.files.set(path, file);
    for (const told of this.watchers) told();
  }

  rotate(to: string): void {
    const file = this.files.get(PATH);
    if (file !== undefined) this.files.set(to, file);
    this.files.set(PATH, { bytes: new Uint8Array() });
  }

  get fs(): LogSource['fs'] {
    return {
      openFileBelow: async (root, below) => {
        if (root !== '/' || below !== PATH.slice(1)) throw new Error(`opened ${root} ${below}`);
        const file = this.files.get(PATH);
        return file === undefined
          ? undefined
          : memoryOpenFile(
              () => file.bytes,
              () => this.files.get(PATH) === file,
              PATH,
            );
      },
      watch: (_, onChange) => {
        this.watchers.add(onChange);
        return { close: () => void this.watchers.delete(onChange) };
      },
    };
  }
}

function record(text: string, second = 0, tag = 'F', stream = 'stdout'): string {
  return `2026-01-01T00:00:${String(second).padStart(2, '0')}.5Z ${stream} ${tag} ${text}\n`;
}

async function printed(folder: LogFolder, options: Partial<LogOptions>): Promise<string> {
  return decodeText(await printedBytes(folder, options));
}

async function printedBytes(folder: LogFolder, options: Partial<LogOptions>): Promise<Uint8Array> {
  const source: LogSource = {
    clock: createManualClock(),
    fs: folder.fs,
    path: PATH,
    isRunning: () => false,
    isEnding: () => false,
    endedAt: () => 0,
    signal: new AbortController().signal,
  };
  const chunks: Uint8Array[] = [];
  for await (const chunk of readLog(source, { ...NONE, ...options })) chunks.push(chunk);
  return concatBytes(chunks);
}

describe('readLog', () => {
  it('gives bytes as they were written, and a character cut by the end of a line in one piece', async () => {
    const binary = new LogFolder();
    const euro = encodeText('€');
    const head = (tag: string) => encodeText(`2026-01-01T00:00:00.5Z stdout ${tag} `);
    const newline = encodeText('\n');
    binary.append(concatBytes([head('F'), Uint8Array.of(0xff, 0xfe, 0, 13), newline]));
    binary.append(concatBytes([head('P'), euro.subarray(0, 1), newline, head('F'), euro.subarray(1), newline]));
    expect(await printedBytes(binary, {})).toEqual(
      concatBytes([Uint8Array.of(0xff, 0xfe, 0, 13), newline, euro, newline]),
    );
  });

  const folder = new LogFolder();
  folder.append(
    record('one', 1) + record('two', 2, 'F', 'stderr') + record('thr', 3, 'P') + record('ee', 3) + record('', 4),
  );

  it.each<[string, Partial<LogOptions>, string]>([
    ['everything', {}, 'one\ntwo\nthree\n\n'],
    ['the last lines of the file', { tailLines: 2 }, 'ee\n\n'],
    ['more lines than there are', { tailLines: 100 }, 'one\ntwo\nthree\n\n'],
    ['no lines', { tailLines: 0 }, ''],
    ['since a time', { sinceWall: Date.parse('2026-01-01T00:00:03Z') }, 'three\n\n'],
    ['some bytes', { limitBytes: 6 }, 'one\ntw'],
    ['one stream', { stream: 'stderr' }, 'two\n'],
    [
      'with times, of nine digits, once a line',
      { timestamps: true, tailLines: 3 },
      '2026-01-01T00:00:03.500000000Z three\n2026-01-01T00:00:04.500000000Z \n',
    ],
  ])('prints %s', async (_, options, expected) => {
    expect(await printed(folder, options)).toBe(expected);
  });

  it('prints a last line without its newline, and nothing of a file that is not there', async () => {
    const open = new LogFolder();
    open.append(record('done').slice(0, -1));
    expect(await printed(open, {})).toBe('done\n');
    expect(await printed(new LogFolder(), {})).toBe('');
    expect(await printed(new LogFolder(), { tailLines: 3 })).toBe('');
  });

  it('passes over what is no log line', async () => {
    const broken = new LogFolder();
    broken.append(`garbage\n\n${record('fine')}2026 nowhere F x\n`);
    expect(await printed(broken, {})).toBe('fine\n');
  });

  it('finds the last lines in files of many blocks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 0, max: 4500 }), async (count, tail) => {
        const big = new LogFolder();
        const lines = Array.from({ length: count }, (_, i) => `line ${i} ${'x'.repeat(i % 97)}`);
        big.append(lines.map((line) => record(line)).join(''));
        const expected = lines.slice(count - Math.min(tail, count)).map((line) => `${line}\n`);
        expect(await printed(big, { tailLines: tail })).toBe(expected.join(''));
      }),
      { numRuns: 25 },
    );
  });
});

describe('following', () => {
  interface Following {
    readonly folder: LogFolder;
    readonly clock: ReturnType<typeof createManualClock>;
    readonly controller: AbortController;
    running: boolean;
    ending: boolean;
    endedAt: number;
    text: string;
    ended: boolean;
  }

  function follow(folder: LogFolder, options: Partial<LogOptions> = {}, running = true): Following {
    const clock = createManualClock();
    const controller = new AbortController();
    const state: Following = {
      folder,
      clock,
      controller,
      running,
      ending: !running,
      endedAt: 0,
      text: '',
      ended: false,
    };
    const source: LogSource = {
      clock,
      fs: folder.fs,
      path: PATH,
      isRunning: () => state.running,
      isEnding: () => state.ending,
      endedAt: () => state.endedAt,
      signal: controller.signal,
    };
    void (async () => {
      for await (const chunk of readLog(source, { ...NONE, follow: true, ...options })) state.text += decodeText(chunk);
      state.ended = true;
    })();
    return state;
  }

  it('prints what comes, at once, until the container ended', async () => {
    const folder = new LogFolder();
    folder.append(record('first'));
    const f = follow(folder);
    await settle();
    expect(f.text).toBe('first\n');
    folder.append(record('second'));
    await settle();
    expect(f.text).toBe('first\nsecond\n');
    f.running = false;
    await f.clock.advance(1000);
    folder.append(record('last words'));
    await f.clock.advance(100);
    expect([f.text, f.ended]).toEqual(['first\nsecond\nlast words\n', true]);
    expect([f.clock.pendingTimers, folder.watchers.size]).toEqual([0, 0]);
  });

  it('waits for the last words of who has just ended, from the first look on', async () => {
    const folder = new LogFolder();
    folder.append(record('first'));
    const asked = follow(folder, { follow: false, tailLines: 1 }, false);
    const following = follow(folder, {}, false);
    await asked.clock.advance(1000);
    await following.clock.advance(1000);
    expect([asked.text, asked.ended, following.text, following.ended]).toEqual(['', false, '', false]);
    folder.append(record('last words'));
    for (const each of [asked, following]) {
      each.ending = false;
      await each.clock.advance(500);
    }
    expect([asked.text, asked.ended]).toEqual(['last words\n', true]);
    expect([following.text, following.ended]).toEqual(['first\nlast words\n', true]);
  });

  it('gives the runtime a moment to write what it had read when the container ended, if that was just now', async () => {
    const folder = new LogFolder();
    folder.append('');
    const late = follow(folder, { follow: false, tailLines: 1 }, false);
    const long = follow(folder, { follow: false }, false);
    for (const each of [late, long]) each.ending = false;
    late.endedAt = late.clock.now().wall - 50;
    long.endedAt = long.clock.now().wall - 60_000;
    await late.clock.advance(50);
    await long.clock.advance(50);
    folder.append(record('last'));
    folder.append(record('words'));
    await late.clock.advance(FOLLOW_DRAIN_MS);
    expect([late.text, late.ended, long.text, long.ended]).toEqual(['words\n', true, '', true]);
  });

  it('does not wait for ever for a runtime that puts nothing away', async () => {
    const folder = new LogFolder();
    folder.append(record('all there is'));
    const asked = follow(folder, { follow: false }, false);
    await asked.clock.advance(PUT_AWAY_WAIT_MS + FOLLOW_DRAIN_MS);
    expect([asked.text, asked.ended]).toEqual(['all there is\n', true]);
  });

  it('goes on across a rotation and loses nothing', async () => {
    const folder = new LogFolder();
    folder.append(record('a long first line that was read'));
    const f = follow(folder);
    await settle();
    const old = folder.files.get(PATH);
    if (old !== undefined) old.bytes = concatBytes([old.bytes, encodeText(record('unread'))]);
    folder.rotate(`${PATH}.20260101-000000`);
    folder.append(record('new'));
    await f.clock.advance(1000);
    expect(f.text).toBe('a long first line that was read\nunread\nnew\n');
    f.controller.abort();
    await settle();
    expect(f.ended).toBe(true);
  });

  it('of the last lines begins there', async () => {
    const folder = new LogFolder();
    folder.append(record('old') + record('older'));
    const f = follow(folder, { tailLines: 0 });
    await settle();
    folder.append(record('new'));
    await settle();
    expect(f.text).toBe('new\n');
    f.controller.abort();
    await settle();
    expect([f.ended, f.clock.pendingTimers]).toEqual([true, 0]);
  });

  it('stops at its limit', async () => {
    const folder = new LogFolder();
    folder.append(record('123456789'));
    const f = follow(folder, { limitBytes: 4 });
    await settle();
    expect([f.text, f.ended]).toEqual(['1234', true]);
  });
});
