import { describe, expect, it } from 'vitest';
import { containerLogsDir, folderOfTarget, isLogOf, logLinkName, uidOfLogFolder } from './log-names.ts';

describe('names of logs', () => {
  it.each([
    ['default_web_1234-5', '1234-5'],
    ['default_web', undefined],
    ['a_b_c_d', undefined],
    ['_web_1', undefined],
    ['lost+found', undefined],
  ])('folder %s is of pod %s', (name, uid) => expect(uidOfLogFolder(name)).toBe(uid));

  it('links as upstream names them', () => {
    expect(logLinkName('web', 'default', 'main', 'abc')).toBe('web_default_main-abc.log');
    const long = logLinkName('p'.repeat(253), 'default', 'main', 'abc');
    expect([long.length, long.endsWith('.log')]).toEqual([255, true]);
  });

  it.each([
    ['/var/log/pods/ns_p_u/main/0.log', 'ns_p_u'],
    ['/var/log/pods/../../etc/passwd', undefined],
    ['/var/log/podsx/ns_p_u/main/0.log', undefined],
    ['/etc/passwd', undefined],
  ])('target %s is in %s', (target, folder) => expect(folderOfTarget(target, '/var/log/pods')).toBe(folder));

  it.each([
    ['0.log', true],
    ['0.log.20261121-030000', true],
    ['0.log.20261121-030000.gz', true],
    ['10.log', false],
    ['0.logs', false],
  ])('%s is a log of 0.log: %s', (name, expected) => expect(isLogOf(name, '0.log')).toBe(expected));

  it('lie beside the pods’ folders', () => {
    expect(containerLogsDir('/var/log/pods')).toBe('/var/log/containers');
  });
});
