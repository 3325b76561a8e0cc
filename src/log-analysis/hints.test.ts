/** Tests that hints and lists of what is allowed are not taken for the error above them. */
import { describe, expect, it } from 'vitest';
import { decisiveLine } from './read-log.ts';

describe('hints below an error', () => {
  it.each<[what: string, lines: readonly string[], decisive: string]>([
    [
      'what may be returned, below the word that may not',
      [
        "Could not delete 'vcl_boot.1795/vgc.sym': No such file or directory",
        'Error:',
        'Message from VCC-compiler:',
        'Invalid return "lookup"',
        "('/etc/cache/main.vcl' Line 8 Pos 11)",
        '  return (lookup);',
        '----------######--',
        '',
        '...in subroutine "vcl_recv"',
        "('/etc/cache/main.vcl' Line 3 Pos 5)",
        'sub vcl_recv {',
        '----########--',
        '',
        '...which is the "vcl_recv" subroutine',
        'Legal returns are: "fail" "hash" "pass" "pipe" "purge" "restart" "synth" "vcl"',
        'Running VCC-compiler failed, exited with 2',
        'VCL compilation failed',
      ],
      `Invalid return "lookup" ('/etc/cache/main.vcl' Line 8 Pos 11)`,
    ],
    [
      'a backend that is not defined, in the same form',
      [
        'Error:',
        'Message from VCC-compiler:',
        "Backend not found: 'shop'",
        "('/etc/cache/main.vcl' Line 4 Pos 27)",
        '    set req.backend_hint = shop;',
        '--------------------------####-',
        '',
        'Running VCC-compiler failed, exited with 2',
        'VCL compilation failed',
      ],
      "Backend not found: 'shop' ('/etc/cache/main.vcl' Line 4 Pos 27)",
    ],
    [
      'allowed values',
      ['error: unknown compression "lz5"', 'Supported compressions are: "none", "gzip", "lz4" (invalid ones fail)'],
      'error: unknown compression "lz5"',
    ],
    [
      'accepted modes, one for each line',
      ['ERROR unsupported mode: turbo', 'Accepted modes are "slow", "fast" and "error"'],
      'unsupported mode: turbo',
    ],
    [
      'a command that may help',
      [
        'unable to create lock in backend: repository is already locked by PID 16 on old-backup-crcsl by root (UID 0, GID 0)',
        'lock was created at 2026-01-31 02:22:08 (1m53.348843227s ago)',
        'storage ID 5319544f',
        'the `unlock` command can be used to remove stale locks',
      ],
      'unable to create lock in backend: repository is already locked by PID 16 on old-backup-crcsl by root (UID 0, GID 0)',
    ],
    [
      'an option that may help',
      ['Fatal: snapshot "latest" not found', "the '--group-by' option may be used to select failed ones"],
      'Fatal: snapshot "latest" not found',
    ],
    [
      'no hint, where it is the only line',
      ['FATAL: option "mode" is wrong: valid modes are "a" and "b"'],
      'FATAL: option "mode" is wrong: valid modes are "a" and "b"',
    ],
    [
      'the head of a directory server',
      [
        '6b0a3bcf.1d152a9c 0x7f1bb76c4200 /etc/dird.conf: line 9: invalid path: No such file or directory',
        '6b0a3bcf.1d19093d 0x7f1bb76c4200 dird stopped.',
      ],
      '/etc/dird.conf: line 9: invalid path: No such file or directory',
    ],
  ])('%s', (_what, lines, decisive) => {
    expect(decisiveLine(lines)?.line).toBe(decisive);
  });
});
