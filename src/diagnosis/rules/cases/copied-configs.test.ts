/** Tests that the ConfigMap is named which an init container copies for the one that ends. */
import { describe, expect, it } from 'vitest';
import { diagnosePod } from '../../diagnose-pod.ts';
import { crashed, evidence, lastWords, pod } from '../../evidence.fixtures.ts';
import type { Container } from '../../evidence/kinds.ts';
import type { PodEvidence } from '../../evidence/pod-evidence.ts';
import { configsWanted } from '../../wanted.ts';

const copier = (more: Partial<Container> = {}): Container => ({
  name: 'copy-conf',
  image: 'a',
  command: ['sh', '-c', 'cp /conf/sentinel.conf /work/'],
  volumeMounts: [
    { name: 'work', mountPath: '/work' },
    { name: 'conf', mountPath: '/conf' },
  ],
  ...more,
});
const given = (lines: readonly string[], init = copier()): Partial<PodEvidence> => ({
  pod: pod({
    container: {
      command: ['redis-sentinel', '/work/sentinel.conf'],
      volumeMounts: [{ name: 'work', mountPath: '/work' }],
    },
    spec: {
      initContainers: [init],
      volumes: [
        { name: 'work', emptyDir: {} },
        { name: 'conf', configMap: { name: 'sentinel-conf' } },
      ],
    },
    status: crashed({ exitCode: 1 }),
  }),
  logs: lastWords(...lines),
  configs: [
    {
      kind: 'ConfigMap',
      name: 'sentinel-conf',
      state: 'found',
      keys: ['sentinel.conf'],
      texts: { 'sentinel.conf': 'port 26379\nsentinel down-after-milliseconds mymaster 5000\n' },
    },
  ],
});
const says = (...args: Parameters<typeof given>): string =>
  diagnosePod(evidence(given(...args))).findings[0]?.says ?? '';

const UNKNOWN_MASTER = [
  '*** FATAL CONFIG FILE ERROR (Redis 7.0.15) ***',
  'Reading the configuration file, at line 2',
  ">>> 'sentinel down-after-milliseconds mymaster 5000'",
  'No such master with specified name.',
] as const;

describe('a configuration that an init container copies', () => {
  it('is named with its ConfigMap', () => {
    expect(says(UNKNOWN_MASTER)).toMatch(
      /No such master.*; its configuration \/work\/sentinel\.conf is copied of ConfigMap sentinel-conf by init container copy-conf \(line 2\)$/,
    );
  });
  it('is not named where the container shares no volume', () => {
    expect(says(UNKNOWN_MASTER, copier({ volumeMounts: [{ name: 'conf', mountPath: '/conf' }] }))).not.toMatch(
      /copied/,
    );
  });
  it('is not named where the file has another name', () => {
    expect(says(UNKNOWN_MASTER, copier({ command: ['sh', '-c', 'cat /conf/a.conf'] }))).not.toMatch(/copied/);
  });
  it('is read', () => {
    expect(configsWanted(evidence(given(UNKNOWN_MASTER)))).toContainEqual({ kind: 'ConfigMap', name: 'sentinel-conf' });
  });
});
