/** Tests that traffic leaves pods that die or end, and comes back: what clients of a Service see while its pods heal. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ConnectionLoad, type LoadResult } from '../support/connection-load.ts';
import { webDeployment, webService } from '../support/web-deployment.ts';
import { Mendlet, root, run, until } from './harness.ts';
import { freeServiceNetwork } from './service-network.ts';

const mendlet = new Mendlet({ podNetwork: 224, flags: ['--service-cidr', `${freeServiceNetwork(98, 86, 87)}.0.0/16`] });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const kubectl = (...args: string[]): Promise<string> => mendlet.kubectl(args);
/** The promise of no lost request does not depend on the rate; a test machine must stand it. */
const PER_SECOND = 50;

async function clusterIp(name: string): Promise<string> {
  const { spec } = await mendlet.read<{ readonly spec: { readonly clusterIP: string } }>(`svc/${name}`);
  return spec.clusterIP;
}

/** A service whose pods are ready, under load. */
async function underLoad(name: string, replicas: number): Promise<ConnectionLoad> {
  await mendlet.create(webDeployment(name, replicas));
  await mendlet.create(webService(name));
  await kubectl('rollout', 'status', `deploy/${name}`, '--timeout=300s');
  const host = await clusterIp(name);
  await untilAnswers(host);
  return new ConnectionLoad({ host, port: 80, perSecond: PER_SECOND, seed: 7 });
}

/** All endpoints have rules once some requests in a row were answered. */
async function untilAnswers(host: string): Promise<void> {
  await until('answers at the service', async () => {
    const load = new ConnectionLoad({ host, port: 80, perSecond: 100, seed: 1 });
    await sleep(200);
    const { failures, sent } = await load.stop();
    return failures.length === 0 && sent > 0 ? { value: true } : { last: failures.join('\n') };
  });
}

function expectNoneLost({ sent, failures }: LoadResult): void {
  expect(sent).toBeGreaterThan(0);
  expect(failures).toEqual([]);
}

interface Seen {
  readonly metadata: { readonly name: string };
  readonly status: {
    readonly containerStatuses?: readonly { readonly restartCount: number; readonly ready: boolean }[];
  };
}

async function pods(app: string): Promise<readonly Seen[]> {
  return (await mendlet.read<{ readonly items: readonly Seen[] }>('pods', { selector: `app=${app}` })).items;
}

describe('no request is lost, with two ready replicas and no preStop hook', () => {
  let load: ConnectionLoad | undefined;
  afterEach(() => load?.stop());

  it('in a rolling update', async () => {
    load = await underLoad('rolled', 2);
    const before = (await pods('rolled')).map(({ metadata }) => metadata.name);
    await kubectl('rollout', 'restart', 'deploy/rolled');
    await kubectl('rollout', 'status', 'deploy/rolled', '--timeout=300s');
    const result = await load.stop();
    expectNoneLost(result);
    // New pods answered, too.
    expect([...result.answers.keys()].some((name) => !before.includes(name))).toBe(true);
  });

  it('in a restart in place', async () => {
    load = await underLoad('again', 2);
    const program = join(root, 'dist/mendlet.js');
    const verb = await run(process.execPath, [program, 'restart', '--kubeconfig', mendlet.kubeconfig, 'deploy/again']);
    expect(verb).toMatchObject({ code: 0, stdout: expect.stringContaining('2 pods restarted in place') });
    expectNoneLost(await load.stop());
    expect((await pods('again')).map(({ status }) => status.containerStatuses?.[0]?.restartCount)).toEqual([1, 1]);
  });

  it('while a pod is deleted', async () => {
    load = await underLoad('deleted', 3);
    const [first] = await pods('deleted');
    await kubectl('delete', 'pod', first?.metadata.name ?? '');
    await kubectl('rollout', 'status', 'deploy/deleted', '--timeout=300s');
    expectNoneLost(await load.stop());
  });
});

describe('a pod that dies', () => {
  it('gets no new connections while it is not ready again, and gets them back', async () => {
    await underLoad('killed', 3).then((load) => load.stop());
    const [victim] = await pods('killed');
    const name = victim?.metadata.name ?? '';
    const status = async () =>
      (await pods('killed')).find(({ metadata }) => metadata.name === name)?.status.containerStatuses?.[0];
    const readyAfter = (restarts: number): Promise<unknown> =>
      until(`the pod ready after ${restarts} restarts`, async () => {
        const last = await status();
        return last?.ready === true && last.restartCount === restarts
          ? { value: true }
          : { last: JSON.stringify(last) };
      });
    // The command dies with the container. The first restart comes at once; the second waits for 10 s, in which there is time to look.
    const kill = (): Promise<unknown> => kubectl('exec', name, '--', 'kill', '1').catch(() => {});
    await kill();
    await readyAfter(1);
    await kill();
    await until('the pod not ready', async () => {
      const last = await status();
      return last?.ready === false ? { value: true } : { last: JSON.stringify(last) };
    });

    const host = await clusterIp('killed');
    await untilAnswers(host);
    const meanwhile = new ConnectionLoad({ host, port: 80, perSecond: PER_SECOND, seed: 2 });
    await sleep(1500);
    const result = await meanwhile.stop();
    expect(await status(), 'it still waits for its restart').toMatchObject({ ready: false, restartCount: 1 });
    expectNoneLost(result);
    expect([...result.answers.keys()]).not.toContain(name);

    await readyAfter(2);
    await until('its answers', async () => {
      const fresh = new ConnectionLoad({ host, port: 80, perSecond: 100, seed: 3 });
      await sleep(300);
      const { answers } = await fresh.stop();
      return answers.has(name) ? { value: true } : { last: [...answers.keys()].join(' ') };
    });
    await untilAnswers(host);
  });
});

describe('a service of one replica that asks for it', () => {
  it('holds new connections while its pod restarts, instead of refusing them', async () => {
    await mendlet.create(webDeployment('held', 1));
    await mendlet.create(webService('held', {}, { 'mendlet.dev/hold-connections': 'true' }));
    await kubectl('rollout', 'status', 'deploy/held', '--timeout=300s');
    const host = await clusterIp('held');
    await untilAnswers(host);
    const load = new ConnectionLoad({ host, port: 80, perSecond: PER_SECOND, seed: 5 });
    const killedAt = performance.now();
    await kubectl('exec', 'deploy/held', '--', 'kill', '1').catch(() => {});
    await until('the pod ready again', async () => {
      const [seen] = await pods('held');
      const status = seen?.status.containerStatuses?.[0];
      return status?.ready === true && status.restartCount > 0
        ? { value: true }
        : { last: JSON.stringify(seen?.status) };
    });
    const tookMs = performance.now() - killedAt;
    const { failures, sent } = await load.stop();
    expect(sent).toBeGreaterThan(0);
    const refused = failures.filter((text) => text.includes('ECONNREFUSED'));
    // Connections on their way to the dying process are refused by it; a restart that takes longer than the hold is another story.
    if (tookMs < 1000) expect(refused.length).toBeLessThan((PER_SECOND * tookMs) / 1000 / 2);
  });
});
