/** Tests lines in which a program says that it ends, and for what, in words that need not be ones of failure. */
import { expect, it } from 'vitest';
import { readLog } from './read-log.ts';

const DAY = { livedMs: 86_400_000 };

it.each([
  ['a watchdog', ['12:00:00 picked job 1', '12:05:00 watchdog: no heartbeat from reader for 300s, aborting'], 1],
  ['a licence', ['plan=pro', 'tenant a has no licence since May; refusing to start', 'npm error code 12'], 1],
  ['a lease', ['12:00:00 I am the leader', '12:30:00 lease went to shop-2 - stopping so that it can work'], 1],
  [
    'above what it dumps',
    [
      '12:05:00 watchdog: reader waits for 300s, aborting',
      '12:05:00 dumping 14 threads',
      '12:05:00 thread consumer: waiting on lock a',
    ],
    0,
  ],
])('%s', (_what, lines, at) => {
  expect(readLog(lines, DAY).decisive?.index).toBe(at);
});

it.each([
  'SIGTERM received from the parent, exiting',
  'Shutdown requested by the operator, stopping',
  'All 12 messages processed, exiting',
  'Migration of 3 tables complete; exiting',
  'no more jobs in queue mail, shutting down',
  'unhandled condition in the main loop, quitting',
])('no reason: %s', (line) => {
  expect(readLog(['12:00:00 listening on :80', `13:00:00 ${line}`], DAY).decisive).toBeUndefined();
});

it('an error that came long before is not what led to it', () => {
  const lines = [
    '2026-01-31 12:00:00 ERROR mail to "a" was refused',
    '2026-01-31 14:00:00 FATAL lost the queue for 10s',
    '2026-01-31 14:00:00 FATAL exiting',
  ];
  expect(readLog(lines, { livedMs: 5000 }).decisive?.line).toBe('lost the queue for 10s');
});

it('a warning does not tell more than an error with names', () => {
  const lines = [
    '12:00:00 WARN job "mail" failed: 535',
    '12:00:01 ERROR heartbeat: error connecting to queue:6379',
    '12:00:02 FATAL lost the queue for 10s',
  ];
  expect(readLog(lines, { livedMs: 5000 }).decisive?.index).toBe(1);
});

it('the same words with more behind them are told', () => {
  const lines = [
    'In Connection.php line 829:',
    '  SQLSTATE[42000]: 1071 Specified key was too long (SQL: alter table `orders`)',
    'In Connection.php line 587:',
    '  SQLSTATE[42000]: 1071 Specified key was too long',
  ];
  expect(readLog(lines, { livedMs: 5000 }).decisive?.line).toContain('`orders`');
});
