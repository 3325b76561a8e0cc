import { describe, expect, it } from 'vitest';
import { UsageError } from '../usage-error.ts';
import {
  parseEmptyDirs,
  parseGracePeriod,
  parseMaxUnavailable,
  parseNotBefore,
  parseParallel,
  parseTimeout,
} from './flag-values.ts';
import { type RestartFlags, restartOptions } from './options.ts';

describe('restartOptions', () => {
  it.each<[RestartFlags, object]>([
    [{}, { scope: 'pod' }],
    [{ container: 'a' }, { scope: 'container', container: 'a' }],
    [
      { scope: 'containers', reason: 'r' },
      { scope: 'containers', reason: 'r' },
    ],
    [
      { emptyDirs: ['*'], force: true, gracePeriod: 0 },
      { scope: 'pod', emptyDirs: ['*'], force: true, gracePeriodSeconds: 0 },
    ],
  ])('%j', (flags, spec) => expect(restartOptions(['pod/a'], flags).spec).toEqual(spec));

  it('says how to call it again', () => {
    const flags = {
      namespace: 'prod',
      scope: 'pod',
      emptyDirs: ['*'],
      maxUnavailable: parseMaxUnavailable('25%'),
      force: true,
    } as const;
    const { flagsText } = restartOptions(['deploy/a'], { ...flags, kubeconfig: '/my files/k', reason: "it's new" });
    expect(flagsText).toBe(
      "-n prod --kubeconfig '/my files/k' --scope pod --empty-dirs all --max-unavailable 25% --reason 'it'\\''s new' --force",
    );
  });

  it.each<[string[], RestartFlags, string]>([
    [['pod/a'], { container: 'a', scope: 'pod' }, 'leave it out, or --scope pod'],
    [['pod/a'], { emptyDirs: ['x'], scope: 'containers' }, '--empty-dirs goes with --scope pod'],
    [['pod/a'], { emptyDirs: ['x'], container: 'a' }, '--empty-dirs goes with --scope pod'],
    [['pod/a'], { maxUnavailable: parseMaxUnavailable('1') }, 'for pods give --parallel'],
    [['deploy/a'], { parallel: 2 }, '--max-unavailable'],
    [['deploy/a', 'pod/a'], { wait: false }, '--no-wait goes with pods alone'],
  ])('refuses %j with %j', (args, flags, message) => {
    expect(() => restartOptions(args, flags)).toThrow(message);
  });
});

describe('flag values', () => {
  it.each<[(text: string) => unknown, string, unknown]>([
    [parseNotBefore, '2026-01-31T15:04:05Z', '2026-01-31T15:04:05Z'],
    [parseNotBefore, '2026-01-31T15:04:05.123456+01:00', '2026-01-31T15:04:05.123456+01:00'],
    [parseTimeout, '1m30s', 90_000],
    [parseEmptyDirs, 'a,b-c', ['a', 'b-c']],
    [parseEmptyDirs, 'all', ['*']],
    [parseEmptyDirs, '*', ['*']],
    [parseParallel, '100', 100],
    [parseGracePeriod, '0', 0],
    [parseMaxUnavailable, '3', { text: '3', count: 3 }],
    [parseMaxUnavailable, '25%', { text: '25%', percent: 25 }],
  ])('%o reads %s', (parse, text, value) => expect(parse(text)).toEqual(value));

  it.each<[(text: string) => unknown, readonly string[]]>([
    [parseNotBefore, ['now', '2026-01-31', '2026-13-01T00:00:00Z', '2026-01-31T15:04:05', '']],
    [parseTimeout, ['', '0', '0s', '5', 'soon', '-1s']],
    [parseEmptyDirs, ['', 'a,', 'A', 'a,*', 'a b']],
    [parseParallel, ['0', '101', '1.5', '']],
    [parseGracePeriod, ['-1', '', '1s']],
    [parseMaxUnavailable, ['0', '0%', '101%', '-1', 'all', '%', '']],
  ])('%o refuses %j', (parse, texts) => {
    for (const text of texts) expect(() => parse(text), text).toThrow(UsageError);
  });
});
