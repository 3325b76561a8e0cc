/** Tests what is told of a program's own advice, and of locks that a pod which is gone has left. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { type Case, crash, tellsEach } from './cases.fixtures.ts';

const RESTIC = [
  'unable to create lock in backend: repository is already locked by PID 16 on old-backup-crcsl by root (UID 0, GID 0)',
  'lock was created at 2026-01-31 02:22:08 (1m53.348843227s ago)',
  'storage ID 5319544f',
  'the `unlock` command can be used to remove stale locks',
] as const;
const withClaim = (lines: readonly string[], more: Partial<PodEvidence> = {}): Partial<PodEvidence> => ({
  pod: pod({
    container: { volumeMounts: [{ name: 'd', mountPath: '/cache' }] },
    spec: { volumes: [{ name: 'd', persistentVolumeClaim: { claimName: 'cache-0' } }] },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  ...more,
});

const rows: readonly Case[] = [
  [
    'a lock of a pod that is gone, and how it is removed',
    withClaim(RESTIC, { placement: { pods: [] } }),
    'already-running',
    /^container web finds a lock that says that another process uses its data \(claim cache-0\): .* already locked by PID 16 on old-backup-crcsl by root \(UID 0, GID 0\); no pod of that name, old-backup-crcsl, runs in its namespace; it says: the `unlock` command can be used to remove stale locks$/,
  ],
  [
    'a lock of a pod that has ended',
    withClaim(RESTIC, { placement: { pods: [pod({ name: 'old-backup-crcsl', podStatus: { phase: 'Succeeded' } })] } }),
    'already-running',
    /; no pod of that name, old-backup-crcsl, runs in its namespace;/,
  ],
  [
    'a lock of a pod that runs',
    withClaim(RESTIC, { placement: { pods: [pod({ name: 'old-backup-crcsl' })] } }),
    'already-running',
    /; pod old-backup-crcsl, which runs, has it; it says/,
  ],
  [
    'a lock, where the pods are not known',
    withClaim(RESTIC),
    'already-running',
    /GID 0\); it says: the `unlock` command/,
  ],
  [
    'a state lock of another tool, with its holder in fields below',
    {
      ...crash(
        1,
        '╷',
        '│ Error: Error acquiring the state lock',
        '│ ',
        '│ Error message: resource temporarily unavailable',
        '│ Lock Info:',
        '│   ID:        6cd8e1b2-8a3b',
        '│   Path:      /state/a.tfstate',
        '│   Who:       root@plan-x7k2p',
        '╵',
      ),
      placement: { pods: [] },
    },
    'already-running',
    /acquiring the state lock.*; no pod of that name, plan-x7k2p, runs in its namespace$/,
  ],
  [
    'a lock that lies beside the claim',
    withClaim(['Failed to create/acquire the lock /repo/shop/lock.exclusive (timeout).']),
    'already-running',
    /another process uses its data: Failed to create/,
  ],
  [
    'the command that makes what is not there',
    withClaim([
      '2026/01/31 02:33:07| Max Swap size: 102400 KB',
      '2026/01/31 02:33:07| ERROR: /cache/store: (2) No such file or directory',
      '2026/01/31 02:33:07| Not currently OK to rewrite swap log.',
      '2026/01/31 02:33:07| FATAL: \tFailed to verify one of the swap directories, Check cache.log',
      "\tfor details.  Run 'squid -z' to create swap directories",
      '\tif needed, or if running Squid for the first time.',
      '2026/01/31 02:33:07| Squid Cache (Version 5.7): Terminated abnormally.',
    ]),
    'missing-setting',
    /^container web does not find its file \/cache\/store in volume d \(claim cache-0\); it says: Run 'squid -z' to create swap directories$/,
  ],
  [
    'a migration that has not run',
    crash(1, 'FATAL: schema version 7 is older than 9', 'Run `shop migrate up` to upgrade the database'),
    'exit-code',
    /is older than 9 \(exit code 1\); it says: Run `shop migrate up` to upgrade the database$/,
  ],
  [
    'no advice to read more',
    crash(
      1,
      'FATAL: no tenant "a"',
      'DeprecationWarning: use `x` to create shops',
      "Try 'shop --help' for more information.",
      'Run `npm fund` for details',
    ),
    'exit-code',
    /no tenant "a" \(exit code 1\)$/,
  ],
  [
    'no advice of a debugger',
    crash(
      101,
      "thread 'main' panicked at src/main.rs:3:5:",
      'no tenant',
      'note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace',
    ),
    'exit-code',
    /no tenant .*\(exit code 101\)$/,
  ],
  [
    'no advice that stood long before the error',
    crash(
      1,
      'Run `shop seed` to create examples',
      ...Array.from({ length: 12 }, (_, at) => `loaded plan ${at}`),
      'FATAL: no tenant "a"',
    ),
    'exit-code',
    /no tenant "a" \(exit code 1\)$/,
  ],
];

describe('advice of a program', () => {
  tellsEach(rows);
  it('is not told of one that is well', () => {
    const given = { logs: { web: { current: ['Run `shop seed` to create examples', 'listening on :80'] } } };
    expect(diagnosePod(evidence(given)).findings).toEqual([]);
  });
});
