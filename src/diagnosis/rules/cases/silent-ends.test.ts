/** Tests what is said of programs that end without a word. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, history, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const given = (logs: PodEvidence['logs'], more: Partial<PodEvidence> = {}, lived = 1): Partial<PodEvidence> => ({
  pod: pod({
    container: { command: ['ftpd', '/etc/ftp/ftpd.conf'], volumeMounts: [{ name: 'c', mountPath: '/etc/ftp' }] },
    spec: { volumes: [{ name: 'c', configMap: { name: 'ftp-conf' } }] },
    status: crashed({ exitCode: 2, lived }),
  }),
  logs,
  configs: [
    {
      kind: 'ConfigMap',
      name: 'ftp-conf',
      state: 'found',
      keys: ['ftpd.conf'],
      texts: { 'ftpd.conf': 'listen=YES\n' },
    },
  ],
  ...more,
});
const says = (one: Partial<PodEvidence>): string | undefined => diagnosePod(evidence(one)).findings[0]?.says;

describe('an end without a word', () => {
  it('is said to be one, with the configuration that the program has', () => {
    expect(says(given({ web: { previous: [] } }))).toBe(
      'container web ends with exit code 2 and says nothing; its configuration /etc/ftp/ftpd.conf is of ConfigMap ftp-conf',
    );
  });
  it('is one by the record of its node', () => {
    expect(says(given({}, { history: history({ exitCode: 2, log: { tail: '', truncated: false } }) }))).toMatch(
      /^container web ends with exit code 2 and says nothing; its configuration/,
    );
  });
  it('is none where the log is not known', () => {
    expect(says(given({}))).toBe('container web ends with exit code 2');
  });
  it('is none where it says something', () => {
    expect(says(given({ web: { previous: ['starting'] } }))).toBe(
      'container web ends with exit code 2; its last line is: starting',
    );
  });
  it('is nothing to tell after an hour', () => {
    expect(says(given({ web: { previous: [] } }, {}, 3600))).toBe('container web ends with exit code 2');
  });
});
