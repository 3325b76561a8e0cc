import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { evidence, pod } from '../../evidence.fixtures.ts';
import { serversWanted } from '../../servers-wanted.ts';
import { namedServicesOf } from '../../wanted.ts';
import { endedWith } from '../cases/cases.fixtures.ts';

const sftp = {
  namespace: 'shop',
  name: 'sftp',
  missing: false,
  clusterIPs: ['10.96.0.9'],
  ports: [2222],
  ready: 1,
  notReady: 0,
  selector: { app: 'sftp' },
};
const SAID = [
  "Warning: Permanently added '[sftp]:2222' (ED25519) to the list of known hosts.",
  'deploy@sftp: Permission denied (publickey).',
];
const given = endedWith({ container: { command: ['scp', '-P', '2222', '/out/a.csv', 'deploy@sftp:inbox/'] } }, SAID);

describe('a server of SSH that lets nobody in', () => {
  it('is asked what it logs of that', () => {
    expect(namedServicesOf(evidence(given))).toMatchObject([{ name: 'sftp' }]);
    expect(serversWanted(evidence({ ...given, services: [sftp] }))).toMatchObject([{ lines: true }]);
  });

  it('is told with what it logs', () => {
    const lines = [
      'Connection from 10.4.0.9 port 44256 on 10.4.0.8 port 2222 rdomain ""',
      'Authentication refused: bad ownership or modes for directory /home/deploy',
      'Failed publickey for deploy from 10.4.0.9 port 44256 ssh2: ED25519 SHA256:a0eE',
      'Connection closed by authenticating user deploy 10.4.0.9 port 44256 [preauth]',
    ];
    const server = { pod: pod({ name: 'sftp-1' }), owner: 'deployment/sftp', lines };
    const [first] = diagnosePod(evidence({ ...given, services: [{ ...sftp, server }] })).findings;
    expect(first?.id).toBe('authentication-refused');
    expect(first?.says).toMatch(
      /sftp.*deployment\/sftp behind service sftp says: Authentication refused: bad ownership or modes for directory \/home\/deploy/,
    );
  });
});
