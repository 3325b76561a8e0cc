import { describe, expect, it } from 'vitest';
import { complainsAgain } from './complains-again.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, (_, at) => lines.map((line) => line.replaceAll('#', String(at + 11)))).flat();

const SAVING = [
  '1:M 28 Nov 2026 15:04:#.017 * 1 changes in 5 seconds. Saving...',
  '1:M 28 Nov 2026 15:04:#.018 * Background saving started by pid #',
  '#:C 28 Nov 2026 15:04:#.018 # Failed opening the temp RDB file temp-#.rdb (in server root dir /data) for saving: Permission denied',
  '1:M 28 Nov 2026 15:04:#.118 # Background saving error',
];

describe('what is refused to a program that goes on', () => {
  it.each<[what: string, lines: readonly string[], said: RegExp]>([
    ['a snapshot of Redis', times(4, ...SAVING), /Failed opening the temp RDB file .*Permission denied/],
    [
      'an export beside other work',
      times(
        4,
        'INFO handled 12 orders',
        'ERROR export failed: [Errno 28] No space left on device',
        'INFO cache warmed',
      ),
      /No space left on device/,
    ],
    [
      'backups that nobody takes',
      times(
        4,
        'INFO uploading /data/backup-#.tar.gz',
        'An error occurred (AccessDenied) when calling the PutObject operation: Access Denied',
        'WARN backup # not uploaded, keeping it for the next run',
      ),
      /AccessDenied/,
    ],
  ])('%s', (_what, lines, said) => {
    const found = complainsAgain(lines);
    expect(found?.said.line).toMatch(said);
    expect(found?.isBesideWork).toBe(true);
  });

  it.each<[what: string, lines: readonly string[]]>([
    ['nothing', []],
    [
      'what was overcome',
      [...times(5, 'ERROR cannot reach redis:6379: Connection refused'), 'INFO connected', 'INFO works'],
    ],
    ['what came twice', times(2, ...SAVING)],
    ['a matter of business', times(5, 'INFO payment captured', 'ERROR charge failed: card declined')],
    [
      'what a client asks for',
      times(
        5,
        '2026/11/28 02:00:# [error] 77: *# open() "/srv/x" failed (2: No such file or directory), client: 10.244.0.1, server: _, request: "GET /x HTTP/1.1"',
        '10.244.0.1 - - [28/Nov/2026:02:00:# +0000] "GET / HTTP/1.1" 200 5',
      ),
    ],
    [
      'work that went on without it',
      [...times(4, ...SAVING), ...times(9, 'DB saved on disk', 'Background saving done')],
    ],
  ])('is not told of %s', (_what, lines) => {
    expect(complainsAgain(lines)).toBeUndefined();
  });
});
