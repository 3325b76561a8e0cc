/** Tests what is told of a container that looks for a process of another container of its pod. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, crashed, evidence, pod } from '../../evidence.fixtures.ts';
import type { ConfigEvidence, PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from '../cases/cases.fixtures.ts';

const sh = (script: string): object => ({ command: ['bash', '-c', script] });
/** A container reloader that ended so, beside a server that runs. */
const beside = (
  server: object,
  container: object,
  lines: readonly string[],
  given: Partial<PodEvidence> = {},
  spec: object = {},
) => {
  const own = pod({
    container: { ...container, name: 'reloader' },
    status: { ...crashed({ exitCode: 1 }), name: 'reloader' },
    spec,
  });
  const running = {
    name: 'site',
    ready: true,
    restartCount: 0,
    image: 'a',
    imageID: 'b',
    state: { running: { startedAt: ago(600) } },
  };
  return {
    pod: {
      ...own,
      spec: { ...own.spec, containers: [...(own.spec?.containers ?? []), { name: 'site', ...server }] },
      status: { ...own.status, containerStatuses: [...(own.status?.containerStatuses ?? []), running] },
    },
    logs: { reloader: { previous: lines } },
    ...given,
  } satisfies Partial<PodEvidence>;
};
const NGINX = { image: 'debian:12', command: ['nginx', '-g', 'daemon off;'] };
const TOLD =
  /^container reloader does not find the process (\w+), which runs in container site: the containers of its pod do not see each other's processes without shareProcessNamespace: true/;

describe('a process of another container', () => {
  tellsEach([
    [
      'that pidof does not find',
      beside(
        NGINX,
        sh('set -e; pid=$(pidof nginx) || { echo "ERROR: no nginx process found"; exit 1; }; kill -HUP $pid'),
        ['config changed, sending HUP to nginx', 'ERROR: no nginx process found'],
      ),
      'process-unseen',
      TOLD,
      [/spec\.shareProcessNamespace: not set/],
    ],
    [
      'that pkill does not find, without a word',
      beside({ image: 'haproxy:2.9' }, sh('while inotifywait /c; do pkill -USR2 haproxy || exit 1; done'), []),
      'process-unseen',
      TOLD,
    ],
    [
      'that killall does not find',
      beside({ image: 'x', command: ['/usr/sbin/squid', '-N'] }, sh('killall -s HUP squid'), [
        'squid: no process found',
      ]),
      'process-unseen',
      TOLD,
    ],
    [
      'whose number stands in a shared file',
      beside({ image: 'x', command: ['unbound', '-d'] }, sh('kill -HUP "$(cat /run/shared/unbound.pid)"'), [
        'bash: line 1: kill: (17) - No such process',
      ]),
      'process-unseen',
      TOLD,
    ],
    [
      'by a script of a ConfigMap',
      beside(
        NGINX,
        { command: ['/scripts/reload.sh'], volumeMounts: [{ name: 's', mountPath: '/scripts' }] },
        ['pkill: no process matched'],
        {
          configs: [
            {
              kind: 'ConfigMap',
              name: 'scripts',
              state: 'found',
              keys: ['reload.sh'],
              texts: { 'reload.sh': '#!/bin/sh\nset -e\npkill -HUP -f "nginx: master"\n' },
            } satisfies ConfigEvidence,
          ],
        },
        { volumes: [{ name: 's', configMap: { name: 'scripts' } }] },
      ),
      'process-unseen',
      TOLD,
    ],
  ]);

  it('is no cause where processes are shared, where it is its own, or where nobody runs it', () => {
    const script = sh('pkill -HUP nginx');
    for (const given of [
      beside(NGINX, script, [], {}, { shareProcessNamespace: true }),
      beside(NGINX, sh('nginx & sleep 9; pkill -HUP nginx'), []),
      beside({ image: 'redis:7' }, script, []),
      beside(NGINX, script, ['Error: connect ECONNREFUSED 10.0.0.1:80']),
    ]) {
      expect(diagnosePod(evidence(given)).findings.map(({ id }) => id)).not.toContain('process-unseen');
    }
  });
});
