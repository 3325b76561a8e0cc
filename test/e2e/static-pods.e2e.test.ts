/** Tests pods from a folder of manifests, which the node runs alone, and which mirrors on the API server show. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, Mendlet, mainContainer, type ObservedPod, until } from './harness.ts';

const NAME = 'web-e2e';

describe('static pods', () => {
  const mendlet = new Mendlet({ podNetwork: 161 });
  const folder = join(mendlet.folder, 'manifests');
  const settings = join(mendlet.folder, 'kubelet.yaml');
  const write = (file: string, content: object | string): void =>
    writeFileSync(join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));
  const running = (what: string, wanted: (pod: Awaited<ReturnType<typeof mendlet.pod>>) => boolean = () => true) =>
    mendlet.untilPod(NAME, what, (pod) => mainContainer(pod)?.state.running !== undefined && wanted(pod));
  const containerId = async () => mainContainer(await mendlet.pod(NAME))?.containerID;
  afterAll(() => mendlet.down());

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    write('web.yaml', busyboxPod('web', 'echo first; exec sleep 36000'));
    writeFileSync(
      settings,
      `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nstaticPodPath: ${folder}\n`,
    );
    await mendlet.up(['--kubelet-config', settings]);
    await running('runs');
  });

  it('are shown by a mirror that the node owns, with logs, exec and describe', async () => {
    const mirror = JSON.parse(await mendlet.kubectl(['get', 'pod', NAME, '-o', 'json'])) as {
      metadata: { annotations: Record<string, string>; ownerReferences: { kind: string; name: string }[] };
    };
    const { annotations, ownerReferences } = mirror.metadata;
    expect(annotations['kubernetes.io/config.mirror']).toBe(annotations['kubernetes.io/config.hash']);
    expect(annotations['kubernetes.io/config.source']).toBe('file');
    expect(ownerReferences).toMatchObject([{ kind: 'Node', name: 'e2e' }]);
    expect(await mendlet.kubectl(['logs', NAME])).toBe('first\n');
    expect(await mendlet.kubectl(['exec', NAME, '--', 'echo', 'hello'])).toBe('hello\n');
    expect(await mendlet.kubectl(['describe', 'pod', NAME])).toMatch(/Started\s.*Container started/);
  });

  it('run on when their mirror is deleted, which comes back', async () => {
    const before = await mendlet.pod(NAME);
    await mendlet.kubectl(['delete', 'pod', NAME, '--wait=false']);
    const after = await running('has a new mirror', ({ metadata }) => metadata.uid !== before.metadata.uid);
    expect(mainContainer(after)?.containerID).toBe(mainContainer(before)?.containerID);
    await mendlet.kubectl(['delete', 'pod', NAME, '--grace-period=0', '--force', '--wait=false']);
    const again = await running('has another mirror', ({ metadata }) => metadata.uid !== after.metadata.uid);
    expect(mainContainer(again)?.containerID).toBe(mainContainer(before)?.containerID);
  });

  it('are restarted in place when their mirror asks for it', async () => {
    const before = await mendlet.pod(NAME);
    const request = JSON.stringify({ id: 'r1', scope: 'pod', by: 'alice' });
    await mendlet.kubectl(['annotate', 'pod', NAME, `mendlet.dev/restart-request=${request}`]);
    const after = await running('begins anew', ({ status }) => status.podIP !== before.status.podIP);
    expect(after.metadata.uid).toBe(before.metadata.uid);
    expect(mainContainer(after)?.restartCount).toBe((mainContainer(before)?.restartCount ?? 0) + 1);
    await until('its outcome on the mirror', async () => {
      const { metadata } = (await mendlet.pod(NAME)) as { metadata: { annotations?: Record<string, string> } };
      const told = metadata.annotations?.['mendlet.dev/healing'] ?? '';
      return told.includes('Restarted') ? { value: true } : { last: told };
    });
  });

  it('survive the agent untouched', async () => {
    const before = await containerId();
    await mendlet.end('SIGKILL');
    await mendlet.up(['--kubelet-config', settings]);
    await running('runs on');
    expect(await containerId()).toBe(before);
  });

  it('follow their file: a bad one changes nothing and is told, a good one replaces the pod, none ends it', async () => {
    const before = await containerId();
    write('web.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: nonsense}\n');
    await until('the bad file is told', async () => {
      const events = JSON.stringify(await mendlet.get('/api/v1/events'));
      return events.includes('FailedStaticPod') && events.includes('web.yaml: line 1')
        ? { value: true }
        : { last: events };
    });
    expect(await containerId()).toBe(before);
    write('web.yaml', busyboxPod('web', 'echo second; exec sleep 36000'));
    await running('is the new one', (pod) => mainContainer(pod)?.containerID !== before);
    await until('the new one speaks', async () => {
      const { stdout } = await mendlet.tryKubectl(['logs', NAME]);
      return stdout === 'second\n' ? { value: true } : { last: stdout };
    });
    rmSync(join(folder, 'web.yaml'));
    await until('the mirror is gone', async () => {
      const { items } = await mendlet.read<{ items: ObservedPod[] }>('pods');
      const found = items.find(({ metadata }) => metadata.name === NAME);
      return found === undefined ? { value: true } : { last: JSON.stringify(found) };
    });
  });
});
