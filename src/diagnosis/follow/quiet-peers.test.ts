import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../diagnose-pod.ts';
import { configMap, evidence, pod } from '../evidence.fixtures.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import { servicesUsed, withComplaintOf } from './quiet-peers.ts';

const bridge: PodEvidence = evidence({
  pod: pod({
    container: {
      command: ['sh', '-c', 'mosquitto_sub -h broker -i "$CLIENT_ID" -t "eu/#"'],
      env: [{ name: 'CLIENT_ID', value: 'line-bridge' }],
    },
    metadata: {
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: 'a', controller: true }],
    },
  }),
  logs: { web: { current: ['INFO subscribed to orders.created'] } },
});
const complaint = (line: string): { object: string; lines: readonly string[] } => ({
  object: 'deployment/broker',
  lines: Array.from({ length: 5 }, () => line),
});
const told = (line: string, pods: PodEvidence['siblings'] = []): string | undefined =>
  withComplaintOf(diagnosePod(bridge), bridge, { ...complaint(line), pods }).findings[0]?.says;

describe('the services that a quiet pod uses', () => {
  it('are those of its specification', () => {
    expect(servicesUsed(bridge, []).map(({ name }) => name)).toEqual(['broker']);
  });

  it('are those that its scripts quote', () => {
    const scripted = evidence({ configs: [configMap('app', { 'main.py': 'n = Nats("nats", user)\nweb = 1' })] });
    expect(servicesUsed(scripted, ['nats', 'web', 'user'])).toEqual([{ namespace: 'shop', name: 'nats' }]);
  });

  it('are not asked of one with a trouble of its own', () => {
    const failing = Array.from({ length: 5 }, () => 'ERROR cannot reach broker:1883: Connection refused');
    expect(servicesUsed({ ...bridge, logs: { web: { current: failing } } }, ['broker'])).toEqual([]);
  });
});

describe('what a server says of a quiet pod', () => {
  it('is told where it names what the pod is called', () => {
    expect(told('Client line-bridge already connected, closing old connection.')).toBe(
      'container web runs, and deployment/broker, which it uses, complains of line-bridge again and again (5 times): Client line-bridge already connected, closing old connection',
    );
  });

  it('is told with another one that has its name', () => {
    const other = pod({ name: 'us-1', container: { env: [{ name: 'ID', value: 'line-bridge' }] } });
    expect(told('Client line-bridge already connected, closing old connection.', [bridge.pod, other])).toMatch(
      /; pod us-1 has the same name, in its variable ID$/,
    );
  });

  it('is told with the pods of its workload, which all have its name', () => {
    const fellow = pod({
      ...bridge.pod.spec,
      name: 'web-2',
      metadata: { ...bridge.pod.metadata, name: 'web-2', uid: 'fellow' },
    });
    expect(told('Client line-bridge already connected, closing old connection.', [bridge.pod, fellow])).toMatch(
      /; the 2 pods of its workload all have this name, in its variable CLIENT_ID$/,
    );
  });

  it('is told where it names what the pod takes', () => {
    expect(told('[ERR] Publish Violation - User "shop", Subject "orders.created"')).toContain(
      'Subject "orders.created"',
    );
  });

  it('is not told of others', () => {
    expect(told('ERROR Client other-bridge exceeded its quota')).toBeUndefined();
  });

  it('has its secrets masked', () => {
    expect(told('ERROR line-bridge refused: password=hunter2hunter2')).not.toContain('hunter2');
  });

  it('takes no secret of the pod for its name, and quotes none that the server logs', () => {
    const keyed = evidence({
      pod: pod({
        container: {
          command: ['sh', '-c', 'mosquitto_sub -h broker --pw first.horse-battery -t a'],
          env: [{ name: 'MQTT_PASSWORD', value: 'correct.horse-battery' }],
        },
      }),
    });
    for (const secret of ['correct.horse-battery', 'first.horse-battery'])
      expect(
        withComplaintOf(diagnosePod(keyed), keyed, complaint(`ERROR user refused with ${secret}`)).findings,
      ).toEqual([]);
    const named = `ERROR web-1 refused with correct.horse-battery`;
    expect(JSON.stringify(withComplaintOf(diagnosePod(keyed), keyed, complaint(named)))).not.toContain('horse');
  });

  it('masks a secret that is longer than what is quoted', () => {
    const token = `eyJhbGciOiJIUzI1NiJ9.${'a1B2'.repeat(100)}.c2ln`;
    expect(told(`ERROR line-bridge was refused, as ${'x '.repeat(130)} its word was ${token}`)).not.toContain('a1B2');
  });
});
