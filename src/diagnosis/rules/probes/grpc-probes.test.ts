/** Tests what is told of probes by gRPC of servers that speak something else, and of probes by HTTP of servers of gRPC. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, event, evidence, pod } from '../../evidence.fixtures.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { tellsEach } from '../cases/cases.fixtures.ts';

const probed = (
  probe: object,
  output: string,
  lines: readonly string[] = [],
  given: Partial<PodEvidence> = {},
  container: object = {},
) =>
  ({
    pod: pod({
      container: { readinessProbe: probe, ...container },
      status: { ready: false, state: { running: { startedAt: ago(120) } } },
    }),
    logs: { web: { current: lines } },
    events: [
      event('Unhealthy', `Readiness probe failed: ${output}`, { seconds: 3, count: 9, first: 60, container: 'web' }),
    ],
    ...given,
  }) satisfies Partial<PodEvidence>;
const GRPC = { grpc: { port: 8080 } };
const HTTP = { httpGet: { path: '/healthz', port: 50051 } };
const UNCONNECTED = 'timeout: failed to connect service "10.244.1.150:8080" within 1s: context deadline exceeded';
const PREFACE = '10.244.0.1 - - [28/Nov/2026:02:33:46 +0000] "PRI * HTTP/2.0" 400 157 "-" "-"';
const listening = (port: number): Partial<PodEvidence> => ({
  history: [
    {
      name: 'web',
      total: 0,
      deaths: [],
      refused: [
        { type: 'readiness', outputs: [{ at: ago(3), output: UNCONNECTED }], listening: [{ port, own: true }] },
      ],
    } as never,
  ],
});
const TOLD =
  /^container web is not ready: its readiness probe fails, which asks port 8080 by gRPC, but the container answers by HTTP\/1/;

describe('a probe in another protocol than its server', () => {
  tellsEach([
    ['by gRPC, of nginx', probed(GRPC, UNCONNECTED, [PREFACE, PREFACE]), 'probe-scheme', TOLD, [/PRI \* HTTP\/2\.0/]],
    [
      'by gRPC, of a server of Python',
      probed(GRPC, UNCONNECTED, [
        '10.0.0.1 - - [28/Nov/2026 02:33:46] code 505, message Invalid HTTP version (2.0)',
        '10.0.0.1 - - [28/Nov/2026 02:33:46] "PRI * HTTP/2.0" 505 -',
      ]),
      'probe-scheme',
      TOLD,
    ],
    [
      'by gRPC, in the words of a newer kubelet',
      probed(
        GRPC,
        'error: failed to connect service at "10.0.0.9:8080": connection error: desc = "error reading server preface: http2: failed reading the frame payload: http2: frame too large, note that the frame header looked like an HTTP/1.1 header"',
      ),
      'probe-scheme',
      TOLD,
    ],
    [
      'by gRPC, of a program that listens there and says nothing',
      probed(GRPC, UNCONNECTED, [], listening(8080)),
      'probe-scheme',
      /which asks port 8080 by gRPC, but what listens there does not speak it \(it may speak HTTP\/1, or TLS, which such probes do not\)/,
    ],
    [
      'by HTTP, of a server of gRPC',
      probed(
        HTTP,
        String.raw`Get "http://10.0.0.9:50051/healthz": net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x05\x00\x00@\x00"`,
      ),
      'probe-scheme',
      /which asks port 50051 by HTTP\/1, but the container speaks HTTP\/2 alone, as servers of gRPC do/,
    ],
    [
      'by HTTP, of a server with TLS',
      probed(
        HTTP,
        String.raw`Get "http://10.0.0.9:50051/healthz": net/http: HTTP/1.x transport connection broken: malformed HTTP response "\x15\x03\x01\x00\x02\x02"`,
      ),
      'probe-scheme',
      /asks port 50051 by HTTP, but the container answers by HTTPS/,
    ],
    [
      'by HTTP, of a server of something else',
      probed(
        HTTP,
        'Get "http://10.0.0.9:50051/healthz": net/http: HTTP/1.x transport connection broken: malformed HTTP response "SSH-2.0-OpenSSH_9.2p1"',
      ),
      'readiness-failing',
      /\/healthz on port 50051 gives: .*SSH-2\.0-OpenSSH/,
    ],
  ]);

  const first = (given: Partial<PodEvidence>) => diagnosePod(evidence(given)).findings[0];

  it('is to be changed, and needs no more time', () => {
    expect(first(probed(GRPC, UNCONNECTED, [PREFACE]))?.manifest).toBe(
      'containers:\n- name: web\n  readinessProbe:\n    grpc: null\n    httpGet:\n      path: /\n      port: 8080\n',
    );
  });

  it('is not seen where nobody knows what listens there, or the answer only comes late', () => {
    expect(first(probed(GRPC, UNCONNECTED))?.id).toBe('probe-timeout');
    expect(first(probed(GRPC, 'timeout: health rpc did not complete within 1s', [PREFACE]))?.id).toBe('probe-timeout');
  });
});
