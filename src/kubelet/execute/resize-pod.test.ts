import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/index.ts';
import type { VerbContext } from './context.ts';
import { resizePod } from './resize-pod.ts';

const Mi = 2 ** 20;
const resources = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const pod = (cpu: string, memory: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'b', uid: 'u' },
  spec: { containers: [{ name: 'main', image: 'i', resources: resources(cpu, memory) }] },
});

function resize(from: [string, string], to: [string, string], usedBytes = 0) {
  const calls: string[] = [];
  const context = {
    config: { podPidsLimit: -1 },
    ports: {
      cgroups: {
        version: 'v2',
        ensure: async (_path: readonly string[], limits: { cpuQuota?: number; memoryLimitBytes?: number }) => {
          calls.push(`pod ${limits.cpuQuota} ${(limits.memoryLimitBytes ?? 0) / Mi}`);
        },
      },
      runtime: {
        updateContainerResources: async (id: string, given: { cpuQuota: number; memoryLimitBytes: number }) => {
          calls.push(`${id} ${given.cpuQuota} ${given.memoryLimitBytes / Mi}`);
        },
        containerStats: async () => [{ memoryUsageBytes: usedBytes }],
      },
    },
    parts: {
      events: { pod: (_pod: Pod, _type: string, reason: string) => void calls.push(reason) },
      node: () => ({ memoryBytes: 4096 * Mi }),
    },
  } as unknown as VerbContext;
  const action = {
    verb: 'resize',
    containers: [{ name: 'main', containerId: 'id' }],
    from: { main: resources(...from) },
    to: { main: resources(...to) },
  } as const;
  const job = { pod: pod(...to), cancelled: false, signal: new AbortController().signal };
  return resizePod(context, job, action).then((result) => ({ calls, result }));
}

describe('resizePod', () => {
  it.each<[string, [string, string], [string, string], string[]]>([
    ['grows from outside', ['100m', '64Mi'], ['200m', '128Mi'], ['pod 20000 128', 'id 20000 128', 'pod 20000 128']],
    ['shrinks from inside', ['200m', '128Mi'], ['100m', '64Mi'], ['pod 20000 128', 'id 10000 64', 'pod 10000 64']],
    ['both', ['200m', '64Mi'], ['100m', '128Mi'], ['pod 20000 128', 'id 10000 128', 'pod 10000 128']],
  ])('%s', async (_name, from, to, expected) => {
    expect((await resize(from, to)).calls).toEqual(expected);
  });

  it('does not take memory away that is in use', async () => {
    const { calls, result } = await resize(['100m', '128Mi'], ['100m', '64Mi'], 100 * Mi);
    expect(calls).toEqual(['ResizeError']);
    expect(result).toMatchObject({ ok: false, reason: 'ResizeError' });
  });
});
