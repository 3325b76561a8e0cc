import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import type { Container, Pod } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { ago, crashed, evidence, lastWords, pod, waiting } from '../../evidence.fixtures.ts';
import { placementWanted, wantsListening } from '../../wanted.ts';

const TAKEN = 'listen tcp :8080: bind: address already in use';

/** Container web crashes, and these run beside it. */
function beside(others: readonly Container[], spec: object = {}): Pod {
  const made = pod({ status: crashed({ exitCode: 1 }), spec });
  const statuses = others.map(({ name }) => ({
    name,
    ready: true,
    restartCount: 0,
    image: 'x',
    imageID: '',
    state: { running: { startedAt: ago(600) } },
  }));
  return {
    ...made,
    spec: { ...made.spec, containers: [...(made.spec?.containers ?? []), ...others] },
    status: { ...made.status, containerStatuses: [...(made.status?.containerStatuses ?? []), ...statuses] },
  };
}

const proxy: Container = { name: 'auth-proxy', image: 'haproxy:3' };
const exporter: Container = { name: 'exporter', image: 'x', ports: [{ containerPort: 8080 }] };

function finding(given: Partial<PodEvidence>) {
  const { findings } = diagnosePod(evidence({ logs: lastWords(TAKEN), ...given }));
  expect(findings[0]?.id).toBe('port-in-use');
  return findings[0];
}

describe('a port that is taken', () => {
  it('has an owner, whom its node saw', () => {
    const found = finding({
      pod: beside([proxy]),
      listening: [
        { port: 80, container: 'web' },
        { port: 8080, container: 'auth-proxy', process: 'haproxy' },
      ],
    });
    expect(found?.says).toBe(
      'container web cannot listen on port 8080: container auth-proxy of its pod (haproxy) listens there',
    );
    expect(found?.try.join(' ')).not.toContain('netstat');
    expect(found?.evidence).toContainEqual({
      source: 'object',
      object: 'pod/web-1, as its node sees it now',
      says: 'a process of container auth-proxy (haproxy) listens on port 8080',
    });
  });

  it('of UDP has the owner of that', () => {
    const found = finding({
      pod: beside([proxy]),
      logs: lastWords('listen udp 0.0.0.0:8125: bind: address already in use'),
      listening: [{ port: 8125, container: 'web' }],
      listeningUdp: [{ port: 8125, container: 'auth-proxy', process: 'statsd' }],
    });
    expect(found?.says).toContain(
      'container web cannot listen on port 8125: container auth-proxy of its pod (statsd) listens there',
    );
  });

  it.each<[string, Partial<PodEvidence>, string]>([
    [
      'an owner whose process has no name',
      { pod: beside([proxy]), listening: [{ port: 8080, container: 'auth-proxy' }] },
      'container auth-proxy of its pod listens there',
    ],
    [
      'a name that controls a terminal',
      { pod: beside([proxy]), listening: [{ port: 8080, container: 'auth-proxy', process: '\u001b[31mx' }] },
      'container auth-proxy of its pod (x) listens there',
    ],
    [
      'nobody whom its node knows, and a container that declares it',
      { pod: beside([proxy, exporter]), listening: [{ port: 8080 }] },
      'container exporter of its pod declares it',
    ],
    ['a container that declares it', { pod: beside([proxy, exporter]) }, 'container exporter of its pod declares it'],
    [
      'nobody',
      { pod: beside([proxy]), listening: [{ port: 9090, container: 'auth-proxy' }] },
      'something in its pod does already',
    ],
    [
      'itself, which has started again',
      { pod: beside([proxy]), listening: [{ port: 8080, container: 'web' }] },
      'something in its pod does already',
    ],
    [
      'a container of its name that the pod does not have',
      { pod: beside([proxy]), listening: [{ port: 8080, container: 'other' }] },
      'something in its pod does already',
    ],
    [
      'an init container that declares it, and has ended',
      { pod: beside([proxy], { initContainers: [exporter] }) },
      'something in its pod does already',
    ],
    ['the network of the node', { pod: beside([proxy], { hostNetwork: true }) }, 'something in its node does already'],
    [
      'another pod of the same node',
      {
        pod: beside([proxy], { hostNetwork: true }),
        siblings: [
          pod({ name: 'web-2', spec: { nodeName: 'n2', hostNetwork: true }, container: exporter }),
          pod({ name: 'web-3', container: exporter }),
          pod({ name: 'web-4', container: { ports: [{ containerPort: 80, hostPort: 8080 }] } }),
        ],
      },
      'pod web-4 of its node declares it',
    ],
  ])('of %s', (_, given, says) => {
    expect(finding(given)?.says).toBe(`container web cannot listen on port 8080: ${says}`);
  });

  it('is the one that its specification names, when the log does not', () => {
    const made = beside([proxy]);
    const [web, ...rest] = made.spec?.containers ?? [];
    const containers = [{ ...web, name: 'web', ports: [{ containerPort: 8080 }] }, ...rest];
    const found = finding({
      pod: { ...made, spec: { ...made.spec, containers } },
      logs: lastWords('Error: listen failed: Address already in use'),
      listening: [{ port: 8080, container: 'auth-proxy', process: 'haproxy' }],
    });
    expect(found?.says).toContain('on port 8080: container auth-proxy of its pod (haproxy) listens there');
  });
});

describe('a port that the log does not name', () => {
  const SAID = { logs: lastWords('OSError: [Errno 98] Address already in use') };
  const nginx: Container = { name: 'nginx', image: 'nginx:1', ports: [{ containerPort: 8080 }] };
  const running = (made: Pod, container: object): Pod => {
    const [web, ...rest] = made.spec?.containers ?? [];
    return { ...made, spec: { ...made.spec, containers: [{ ...web, name: 'web', ...container }, ...rest] } };
  };
  const script = (text: string): object => ({ command: ['bash', '-c', text] });

  it.each<[string, Partial<PodEvidence>, RegExp]>([
    [
      'is the number in its command',
      { pod: running(beside([nginx]), script('sleep 3; exec python3 -m http.server 8080')) },
      /^container web cannot listen on port 8080: container nginx of its pod declares it$/,
    ],
    [
      'is the number of its command that another container listens at',
      {
        pod: running(beside([proxy]), script('serve --workers 2000 --idle 9000 0.0.0.0:8081 --admin 0.0.0.0:9901')),
        listening: [{ port: 9901, container: 'auth-proxy', process: 'envoy' }],
      },
      /^container web cannot listen on port 9901: container auth-proxy of its pod \(envoy\) listens there$/,
    ],
    [
      'is that of the listening address, and of no peer',
      { pod: running(beside([nginx]), { args: ['socat', 'TCP-LISTEN:8080,fork', 'TCP:db:5432'] }) },
      /^container web cannot listen on port 8080: container nginx of its pod declares it$/,
    ],
    [
      'is in the command of another pod in the network of the node',
      {
        pod: running(beside([], { hostNetwork: true }), script('sleep 5; exec python3 -m http.server 19481')),
        placement: {
          pods: [
            pod({ name: 'calm', spec: { hostNetwork: true }, container: { args: ['--port=19000'] } }),
            pod({ name: 'far', spec: { nodeName: 'n2', hostNetwork: true }, container: { args: ['19481'] } }),
            pod({
              name: 'old-metrics-1',
              metadata: { namespace: 'infra' },
              spec: { hostNetwork: true },
              container: { command: ['python3', '-m', 'http.server', '19481'] },
            }),
          ],
        },
      },
      /^container web cannot listen on port 19481: pod infra\/old-metrics-1 is in the network of its node, too, and has that port in its command$/,
    ],
    [
      'stays unknown where several may be meant',
      { pod: running(beside([proxy]), script('serve 0.0.0.0:8081 0.0.0.0:8082')) },
      /^container web cannot listen: something in its pod does already \(OSError/,
    ],
  ])('%s', (_, given, says) => {
    expect(finding({ ...SAID, ...given })?.says).toMatch(says);
  });

  it('has the pods of its node read, when it is in the network of the node', () => {
    const wanted = (spec: object) => placementWanted(evidence({ ...SAID, pod: beside([], spec) })).pods;
    expect(wanted({ hostNetwork: true })).toBe('node');
    expect(wanted({})).toBe('none');
  });
});

describe('the node is asked where the pod listens', () => {
  it.each<[string, Partial<PodEvidence>, boolean]>([
    ['when a port is in use', { pod: beside([proxy]), logs: lastWords(TAKEN) }, true],
    ['for nothing else', { pod: beside([proxy]), logs: lastWords('open /data: permission denied') }, false],
    ['not of a pod with one container', { pod: beside([]), logs: lastWords(TAKEN) }, false],
    ['not on the network of the node', { pod: beside([proxy], { hostNetwork: true }), logs: lastWords(TAKEN) }, false],
    ['not where nothing ended', { pod: pod({ status: waiting('ContainerCreating') }), logs: lastWords(TAKEN) }, false],
  ])('%s', (_, given, wanted) => {
    expect(wantsListening(evidence(given))).toBe(wanted);
  });
});
