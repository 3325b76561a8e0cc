import { describe, expect, it } from 'vitest';
import { workersDie } from './workers-die.ts';

const GUNICORN = (pid: number, ...says: readonly string[]): readonly string[] => [
  `[2026-01-31 10:00:0${pid % 10} +0000] [${pid}] [INFO] Booting worker with pid: ${pid}`,
  ...says,
  `[2026-01-31 10:00:0${pid % 10} +0000] [${pid}] [INFO] Worker exiting (pid: ${pid})`,
  'configuration: local',
  `[2026-01-31 10:00:0${pid % 10} +0000] [7] [ERROR] Worker (pid:${pid}) exited with code 1`,
];

describe('workersDie', () => {
  it.each<[what: string, lines: readonly string[], says: RegExp, times: number]>([
    [
      'who say why without a logger',
      [11, 12, 13].flatMap((pid) => GUNICORN(pid, '------', 'Refusing to serve with the secret key of the example')),
      /^Refusing to serve with the secret key of the example$/,
      3,
    ],
    [
      'who say why as a failure, above other words',
      [11, 12].flatMap((pid) =>
        GUNICORN(pid, "ERROR: cannot open '/etc/shop.toml': No such file", 'configuration: local'),
      ),
      /cannot open '\/etc\/shop\.toml'/,
      2,
    ],
    [
      'who say nothing',
      [31, 32, 33].flatMap((pid) => [
        `[31-Jan-2026 10:00:00] NOTICE: [pool www] child ${pid} started`,
        `[31-Jan-2026 10:00:09] WARNING: [pool www] child ${pid} exited on signal 11 (SIGSEGV) after 9.1 seconds from start`,
      ]),
      /child 33 exited on signal 11 \(SIGSEGV\)/,
      3,
    ],
    [
      'of nginx',
      [41, 42].flatMap((pid) => [
        `2026/01/31 10:00:00 [notice] 1#1: start worker process ${pid}`,
        `2026/01/31 10:00:09 [alert] 1#1: worker process ${pid} exited on signal 11`,
      ]),
      /worker process 42 exited on signal 11/,
      2,
    ],
  ])('are those %s', (_what, lines, says, times) => {
    expect(workersDie(lines)).toMatchObject({ said: { line: expect.stringMatching(says) as string }, times });
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['one alone', GUNICORN(11, 'no key')],
    ['those who were told to go', ['[INFO] Worker exiting (pid: 11)', '[INFO] Worker exiting (pid: 12)']],
    [
      'those who ended well',
      [1, 2, 3].map((pid) => `[pool www] child ${pid} exited with code 0 after 99.1 seconds from start`),
    ],
    [
      'those of long ago',
      [
        ...[11, 12].flatMap((pid) => GUNICORN(pid, 'no key')),
        ...Array.from({ length: 90 }, (_, at) => `INFO order ${at} handled`),
      ],
    ],
  ])('are not %s', (_what, lines) => {
    expect(workersDie(lines)).toBeUndefined();
  });

  it('has no secret quoted', () => {
    const lines = [11, 12].flatMap((pid) => GUNICORN(pid, 'refused: password=hunter2 is that of the example'));
    expect(JSON.stringify(workersDie(lines))).not.toContain('hunter2');
  });
});
