import { describe, expect, it } from 'vitest';
import { commandFailure, type FailedCommand } from './hook-failure.ts';

const METER = [
  '  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current',
  '                                 Dload  Upload   Total   Spent    Left  Speed',
  '\r  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0curl: (6) Could not resolve host: conf',
].join('\n');
const NOISE = Array.from({ length: 60 }, (_, index) => `copied file ${index} of the cache to its place`).join('\n');

describe('a command that failed', () => {
  it.each<[string, Partial<FailedCommand>, string]>([
    ['errors', { stderr: 'sh: /warm.sh: not found\n' }, 'sh: /warm.sh: not found'],
    ['errors, then the rest', { stdout: 'warming\n\n', stderr: 'no cache\n' }, 'no cache\nwarming'],
    ['output alone', { stdout: 'no cache' }, 'no cache'],
    ['nothing', {}, ''],
    ['without the progress of curl', { stderr: METER }, 'curl: (6) Could not resolve host: conf'],
    [
      'of much output what decides',
      { stdout: NOISE, stderr: 'Error: open /cache/index: permission denied' },
      'Error: open /cache/index: permission denied',
    ],
    [
      'without what is secret by its form',
      { stderr: 'cannot open postgres://app:geheim@db/x' },
      'cannot open postgres://***@db/x',
    ],
    [
      'without what is known to be secret',
      { stderr: 'login of app with tiger-lily refused' },
      'login of app with *** refused',
    ],
  ])('says %s', (_, given, said) => {
    const failed = { command: ['sh', '-c', 'x'], exitCode: 6, stdout: '', stderr: '', ...given };
    expect(commandFailure(failed, ['tiger-lily'])).toBe(`command 'sh -c x' exited with 6: ${said}`);
  });

  it.each([
    ['by its form', `DB_PASSWORD=${'geheim7'.repeat(100)}`],
    ['that is known', `user ${'tiger-lily'.repeat(100)}`],
  ])('masks a secret %s of which only the end would be read', (_, line) => {
    const stderr = `${line}\n${'\r'.repeat(8000)}\n`;
    expect(stderr.length).toBeGreaterThan(8192);
    const text = commandFailure({ command: ['x'], exitCode: 1, stdout: '', stderr }, ['tiger-lily'.repeat(100)]);
    expect(text).not.toMatch(/geheim|eim7|lily|tiger/);
  });

  it('is bounded, and names no secret of its command', () => {
    const command = ['sh', '-c', `login --password geheim tiger-lily ${'x'.repeat(5000)}`];
    const text = commandFailure({ command, exitCode: 1, stdout: 'y'.repeat(100_000), stderr: '' }, ['tiger-lily']);
    expect(text.length).toBeLessThan(700);
    expect(text).toMatch(/^command 'sh -c login --password \*\*\* \*\*\* x+…' exited with 1: y+/);
  });
});
