/** Tests what is told of a probe's command that fails without a word, where the log names what it asks for. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';

const unready = (command: string, lines: readonly string[], port = 5353): Partial<PodEvidence> => ({
  pod: pod({
    container: {
      ports: [{ containerPort: port }],
      readinessProbe: { exec: { command: ['sh', '-c', command] } },
    },
    status: { ready: false, state: { running: { startedAt: ago(300) } } },
  }),
  logs: { web: { current: lines } },
  events: [event('Unhealthy', 'Readiness probe failed: ', { container: 'web', count: 30, first: 290, seconds: 2 })],
});
const says = (given: Partial<PodEvidence>): string => diagnosePod(evidence(given)).findings[0]?.says ?? '';

const DIG = 'dig +short -p 5353 @127.0.0.1 www.corp.example | grep -q .';
const LISTENS = [
  '31-Jan-2026 02:37:16.428 listening on IPv4 interface lo, 127.0.0.1#5353',
  '31-Jan-2026 02:37:16.428 listening on IPv4 interface eth0, 10.244.1.196#5353',
] as const;
const AFTER = [
  '31-Jan-2026 02:37:16.440 all zones loaded',
  '31-Jan-2026 02:37:16.440 running',
  "31-Jan-2026 02:37:16.444 network unreachable resolving './DNSKEY/IN': 2801:1b8:10::b#53",
  "31-Jan-2026 02:37:16.444 network unreachable resolving './NS/IN': 2001:500:1::53#53",
] as const;
const NO_NS = [
  '31-Jan-2026 02:37:16.440 zone corp.example/IN: has no NS records',
  '31-Jan-2026 02:37:16.440 zone corp.example/IN: not loaded due to errors.',
] as const;

describe('what a probe asks for', () => {
  it('is named by the log, among other errors', () => {
    expect(says(unready(DIG, [...LISTENS, ...NO_NS, ...AFTER]))).toMatch(
      /^container web is not ready: its readiness probe fails: its command sh -c dig .* fails without a word \(grep -q keeps what dig answers to itself\), and its log says of corp\.example: zone corp\.example\/IN: has no NS records$/,
    );
  });
  it('has a file of its own in a ConfigMap', () => {
    const { pod: named, ...more } = unready(DIG, [...LISTENS, ...NO_NS, ...AFTER]);
    const [container] = named?.spec?.containers ?? [];
    const mounted = {
      ...named,
      spec: {
        ...named?.spec,
        containers: [{ ...container, volumeMounts: [{ name: 'c', mountPath: '/etc/names' }] }],
        volumes: [{ name: 'c', configMap: { name: 'zones' } }],
      },
    } as PodEvidence['pod'];
    const configs: PodEvidence['configs'] = [
      { kind: 'ConfigMap', name: 'zones', state: 'found', keys: ['db.corp.example', 'named.conf'] },
    ];
    expect(says({ ...more, pod: mounted, configs })).toMatch(
      /: has no NS records; \/etc\/names\/db\.corp\.example is of ConfigMap zones$/,
    );
  });
  it('is named in the words of another server', () => {
    expect(
      says(
        unready(DIG, [
          'info: server listening on 0.0.0.0@5353',
          "error: [corp.example.] zone file '/zones/corp.zone' could not be parsed, line 3",
          'warning: no tls configured',
          'error: [other.example.] zone expired',
        ]),
      ),
    ).toMatch(
      /its log says of corp\.example: (?:error: )?\[corp\.example\.\] zone file '\/zones\/corp\.zone' could not be parsed, line 3$/,
    );
  });
  it('is not named, so that the last error is told', () => {
    expect(says(unready(DIG, [...LISTENS, ...AFTER]))).toMatch(
      /fails without a word .*, and its log says: network unreachable/,
    );
  });
  it('is named by lines that are no errors', () => {
    expect(
      says(unready(DIG, [...LISTENS, 'zone corp.example/IN: loaded serial 2026013101', 'all zones loaded'])),
    ).not.toMatch(/its log says of/);
  });
});

describe('the port that a log names', () => {
  it('is none of an address', () => {
    expect(says(unready(DIG, [...LISTENS]))).not.toMatch(/listens on 10|nothing listens/);
  });
  it('is one of several', () => {
    expect(
      says(unready('nc -z localhost 5353', ['listening on 0.0.0.0:5353', 'metrics: listening on :9153'])),
    ).not.toMatch(/nothing listens/);
  });
  it('is another one', () => {
    expect(says(unready('nc -z localhost 5353', ['listening on 10.244.1.196#5354']))).toMatch(
      /nothing listens on port 5353, and it says that it listens on 5354$/,
    );
  });
  it('is heard by the node, whatever the log says', () => {
    const given = unready('nc -z localhost 5353', ['metrics: listening on :9153']);
    const refused = [{ type: 'readiness' as const, at: ago(2), output: '', listening: [{ port: 5353, own: true }] }];
    expect(says({ ...given, history: [{ name: 'web', total: 0, deaths: [], refused: refused as never }] })).not.toMatch(
      /nothing listens/,
    );
  });
});
