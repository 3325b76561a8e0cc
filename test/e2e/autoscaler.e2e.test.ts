/** An autoscaler with a real load: pods that burn cpu become more, and fewer when they rest. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, Mendlet } from './harness.ts';

interface Shown {
  readonly status?: {
    readonly currentReplicas?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  };
}

// While the file is there, the pod burns what its limit allows.
const worker = busyboxPod(
  'worker',
  'touch /busy; while :; do if [ -e /busy ]; then i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; else sleep 0.2; fi; done',
  { container: { resources: { requests: { cpu: '50m' }, limits: { cpu: '100m' } } } },
) as { readonly spec: object };

const deployment = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'worker', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'worker' } },
    template: {
      metadata: { labels: { app: 'worker' } },
      spec: { ...worker.spec, restartPolicy: 'Always', terminationGracePeriodSeconds: 0 },
    },
  },
};

const autoscaler = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'worker', namespace: 'default' },
  spec: {
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'worker' },
    minReplicas: 1,
    maxReplicas: 3,
    metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    behavior: { scaleDown: { stabilizationWindowSeconds: 1 } },
  },
};

describe('an autoscaler', () => {
  const mendlet = new Mendlet({ podNetwork: 251 });
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  const replicas = async (): Promise<string> =>
    mendlet.kubectl(['get', 'deployment', 'worker', '-o', 'jsonpath={.spec.replicas} {.status.readyReplicas}']);
  const shown = async (): Promise<Shown> =>
    JSON.parse(await mendlet.kubectl(['get', 'hpa', 'worker', '-o', 'json'])) as Shown;

  it('adds pods under load, and takes them away after it', async () => {
    await mendlet.create(deployment, autoscaler);
    await expect.poll(replicas, { timeout: 240_000, interval: 1000 }).toBe('3 3');
    const { status } = await shown();
    expect(status?.conditions?.map((each) => `${each.type}=${each.status}`)).toEqual([
      'AbleToScale=True',
      'ScalingActive=True',
      expect.stringMatching(/^ScalingLimited=/),
    ]);
    expect(await mendlet.kubectl(['get', 'hpa'])).toMatch(/^worker +Deployment\/worker +cpu: \d+%\/80% +1 +3 +\d /m);
    expect(await mendlet.kubectl(['describe', 'hpa', 'worker'])).toContain('SuccessfulRescale');
    const names = await mendlet.kubectl([
      'get',
      'pods',
      '-l',
      'app=worker',
      '-o',
      'jsonpath={.items[*].metadata.name}',
    ]);
    for (const name of names.split(' ')) await mendlet.kubectl(['exec', name, '--', 'rm', '-f', '/busy']);
    await expect.poll(replicas, { timeout: 240_000, interval: 1000 }).toBe('1 1');
    expect(await mendlet.kubectl(['describe', 'hpa', 'worker'])).toContain('All metrics below target');
  });
});
