/** What no simulation can be sure to hit: the end of the pod between create and start, and the words of a hook. */
import { expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import type { RuntimeService } from '../../cri/index.ts';
import { createMetrics, silentLogger } from '../../lib/index.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { testPod } from '../plan/plan.fixtures.ts';
import type { Job, VerbContext } from './context.ts';
import { executeMetrics } from './execute-metrics.ts';
import { startContainer } from './start-container.ts';

async function start(job: Job, runtime: Partial<RuntimeService>) {
  const events: string[] = [];
  const nothing = async () => {};
  const ports: Partial<VerbContext['ports']> = {
    clock: createManualClock(),
    logger: silentLogger,
    runtime: runtime as RuntimeService,
    fs: {
      openBelow: async () => ({ path: '/logs', type: 'directory', close: async () => {} }),
      stat: async () => undefined,
      mkdir: nothing,
      symlink: nothing,
      writeFile: nothing,
      chmod: nothing,
      readFile: async () => new Uint8Array(),
    } as unknown as VerbContext['ports']['fs'],
    cgroups: { version: 'v1', cgroupParent: () => '/cg' } as unknown as VerbContext['ports']['cgroups'],
  };
  const parts: Partial<VerbContext['parts']> = {
    volumes: { fact: () => ({ state: 'ready', paths: {} }) } as unknown as VerbContext['parts']['volumes'],
    environment: { resolve: async () => ({ ok: true, env: [], command: [], args: [], expand: (text) => text }) },
    events: { pod: (_, type, reason, message) => void events.push(`${type} ${reason}: ${message}`), node: () => {} },
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
  return { result, events };
}

const jobOf = (pod: Pod): Job => ({ pod, cancelled: false, signal: new AbortController().signal });

it('is called off between create and start when the pod is ending', async () => {
  const calls: string[] = [];
  const job = jobOf(testPod());
  const { result } = await start(job, {
    createContainer: async () => {
      calls.push('create');
      job.cancelled = true;
      return 'id';
    },
    startContainer: async () => void calls.push('start'),
  });
  expect(calls).toEqual(['create']);
  expect(result).toMatchObject({ ok: false, cancelled: true });
});

it('tells what its postStart hook said when that failed', async () => {
  const pod = testPod();
  const [main] = pod.spec?.containers ?? [];
  const lifecycle = { postStart: { exec: { command: ['curl', 'http://conf/'] } } };
  const containers = [{ name: 'main', ...main, lifecycle }];
  const { result, events } = await start(jobOf({ ...pod, spec: { ...pod.spec, containers } }), {
    createContainer: async () => 'id',
    startContainer: async () => {},
    execSync: async () => ({ exitCode: 6, stdout: '', stderr: 'curl: (6) Could not resolve host: conf\n' }),
  });
  const message = "command 'curl http://conf/' exited with 6: curl: (6) Could not resolve host: conf";
  expect(result).toEqual({ ok: false, reason: 'PostStartHookError', message, killContainerId: 'id' });
  expect(events).toContain(`Warning FailedPostStartHook: PostStartHook failed: ${message}`);
});
