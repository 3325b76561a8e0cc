import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { ago, configMap, evidence, pod } from '../../evidence.fixtures.ts';
import type { Finding } from '../../finding.ts';
import { endedWith, withFiles } from '../../rules/cases/cases.fixtures.ts';

const CONF = 'http {\n  upstream catalog {\n    server api:8080;\n    keepalive 8;\n  }\n}\n';
const refused = (at: string): string =>
  `2026/01/31 11:59:${at} [error] 30#30: *${at} connect() failed (111: Connection refused) while connecting to upstream, client: 10.244.0.9, server: , request: "GET / HTTP/1.1", upstream: "http://10.244.0.30:8080/", host: "front"`;

describe('an address that no pod has', () => {
  const running = (conf: string): Finding | undefined => {
    return diagnosePod(
      evidence({
        pod: pod({
          ...withFiles,
          status: { ready: true, started: true, state: { running: { startedAt: ago(300) } } },
        }),
        configs: [configMap('app', { 'nginx.conf': conf })],
        logs: { web: { current: ['10', '20', '30', '40', '50'].map(refused) } },
        addresses: [{ address: '10.244.0.30' }],
      }),
    ).findings[0];
  };

  it('is told with the name that its program asked for, and with the restart that asks anew', () => {
    const first = running(CONF);
    expect(first?.says).toMatch(
      /refused by 10\.244\.0\.30:8080 \(an address that no pod has now; its ConfigMap app, key nginx\.conf names api:8080, and a program that asks for that only once keeps that of a pod that is gone\)/,
    );
    expect(first?.try[0]).toMatch(/^mendlet restart pod\/web|rollout restart/);
  });

  it('is told without a name where two have the port', () => {
    expect(running(CONF.replace('keepalive 8', 'server other:8080'))?.says).toMatch(
      /\(an address that no pod has now; a program that asks for a name only once/,
    );
  });

  it('is told of one that gives no answer, too', () => {
    const { says } =
      diagnosePod(
        evidence({
          ...endedWith({ container: { env: [{ name: 'API_URL', value: 'http://api:8080' }] } }, [
            'dial tcp 10.244.0.30:8080: i/o timeout',
          ]),
          addresses: [{ address: '10.244.0.30' }],
        }),
      ).findings[0] ?? {};
    expect(says).toMatch(
      /; 10\.244\.0\.30 is an address that no pod has now; its variable API_URL names api:8080, and a program/,
    );
  });

  it('is not told where a pod has it', () => {
    const given = {
      ...endedWith({ container: {} }, ['dial tcp 10.244.0.30:8080: i/o timeout']),
      addresses: [{ address: '10.244.0.30', pod: { name: 'api-1', ready: true } }],
    };
    expect(diagnosePod(evidence(given)).findings[0]?.says).not.toContain('no pod has');
  });
});
