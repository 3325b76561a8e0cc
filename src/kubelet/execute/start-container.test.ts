/** The one thing about a start that no simulation can be sure to hit: the end of the pod between create and start. */
import { expect, it } from 'vitest';
import type { RuntimeService } from '../../cri/index.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import type { Job, VerbContext } from './context.ts';
import { executeMetrics } from './execute-metrics.ts';
import { startContainer } from './start-container.ts';

it('is called off between create and start when the pod is ending', async () => {
  const calls: string[] = [];
  const job: Job = { pod: testPod(), cancelled: false, signal: new AbortController().signal };
  const runtime: Pick<RuntimeService, 'createContainer' | 'startContainer'> = {
    createContainer: async () => {
      calls.push('create');
      job.cancelled = true;
      return 'id';
    },
    startContainer: async () => void calls.push('start'),
  };
  const nothing = async () => {};
  const ports: Partial<VerbContext['ports']> = {
    clock: createManualClock(),
    logger: silentLogger,
    runtime: runtime as RuntimeService,
    fs: {
      openBelow: async () => ({ path: '/logs', type: 'directory', close: async () => {} }),
      stat: async () => undefined,
      mkdir: nothing,
      writeFile: nothing,
      chmod: nothing,
      readFile: async () => new Uint8Array(),
    } as unknown as VerbContext['ports']['fs'],
    cgroups: { version: 'v1', cgroupParent: () => '/cg' } as unknown as VerbContext['ports']['cgroups'],
  };
  const parts: Partial<VerbContext['parts']> = {
    volumes: { fact: () => ({ state: 'ready', paths: {} }) } as unknown as VerbContext['parts']['volumes'],
    environment: { resolve: async () => ({ ok: true, env: [], command: [], args: [], expand: (text) => text }) },
    events: { pod: () => {}, node: () => {} },
    node: () => ({ hostIps: [], memoryBytes: 1e9, allocatable: { cpuCores: 1, memoryBytes: 1e9 } }),
  };
  const config = {
    instanceId: 'me',
    rootDir: '/a',
    podLogsDir: '/l',
    nodeName: 'n',
    dns: { clusterDns: [], clusterDomain: 'c', resolvConf: '' },
    podPidsLimit: -1,
    seccompDefault: false,
    mapsPorts: true,
  };
  const context = { ports, config, parts, metrics: executeMetrics(createMetrics()) } as VerbContext;
  const result = await startContainer(context, job, {
    verb: 'start-container',
    container: 'main',
    sandboxId: 's',
    attempt: 0,
    imageId: 'i',
    podIps: [],
    onHookFailure: { gracePeriodSeconds: 30, restart: true },
  });
  expect(calls).toEqual(['create']);
  expect(result).toMatchObject({ ok: false, cancelled: true });
});
