/** Tests the examples: the server accepts each, and those of healing beyond Kubernetes behave as described. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Lab } from '../support/lab.ts';
import { describeInWhole, itConcurrentInWhole } from './extent.ts';
import { type CommandResult, mainContainer, Mendlet, type ObservedPod, root, run, until } from './harness.ts';

const bundle = join(root, 'dist/mendlet.js');
const example = (name: string): string => join(root, 'examples', `${name}.yaml`);
const files = readdirSync(join(root, 'examples')).filter((name) => name.endsWith('.yaml'));

/** One request; it is asked again. */
const ASK_MS = 10_000;

const isStopped = (pod: ObservedPod): boolean => mainContainer(pod)?.state.waiting?.reason === 'HealingStopped';

describe('on one node', () => {
  // This machine reaches services of one suite alone under each network.
  const mendlet = new Mendlet({ podNetwork: 158, flags: ['--service-cidr', '10.99.0.0/16'] });
  beforeAll(() => mendlet.up());
  afterAll(() => mendlet.down());

  const apply = (name: string): Promise<string> => mendlet.kubectl(['apply', '-f', example(name)]);
  const call = (...args: string[]): Promise<CommandResult> =>
    run(process.execPath, [bundle, ...args, '--kubeconfig', mendlet.kubeconfig]);
  const eventsOf = (pod: string): Promise<string> => mendlet.kubectl(['events', '--for', `pod/${pod}`]);

  // This test runs first, because an object that another test makes between kubectl's read and its dry run would exist already.
  it('the server takes each as it is', async () => {
    // These examples create their namespaces, which a dry run does not.
    const whole = files.filter((name) => name !== 'restart-role.yaml' && name !== 'roles.yaml');
    // The others of its folder have a suite of their own.
    const flags = [...whole, 'csi/pods.yaml'].flatMap((name) => ['-f', join(root, 'examples', name)]);
    const result = await mendlet.tryKubectl(['apply', '--dry-run=server', '--validate=strict', ...flags]);
    expect(result).toMatchObject({ code: 0, stderr: '' });
  });

  it('three-tiers finds its parts by name, and loses no accepted order when each of them dies', async () => {
    await apply('three-tiers');
    for (const part of ['deploy/shop', 'deploy/queue', 'sts/db']) {
      await mendlet.kubectl(['rollout', 'status', part, '--timeout=300s']);
    }
    const { spec } = await mendlet.read<{ readonly spec: { readonly clusterIP: string } }>('svc/shop');
    // Without a limit one answer that never comes is waited for during all the time that `until` has.
    const ask = async (path: string): Promise<string> => {
      try {
        const response = await fetch(`http://${spec.clusterIP}/cgi-bin/${path}`, {
          signal: AbortSignal.timeout(ASK_MS),
        });
        return response.ok ? await response.text() : `status ${response.status}`;
      } catch (error) {
        return String(error);
      }
    };
    const accepted: string[] = [];
    const order = async (item: string): Promise<void> => {
      await until(`the order of ${item}`, async () => {
        const answer = await ask(`order?item=${item}`);
        return answer === `accepted: ${item}\n` ? { value: true } : { last: answer };
      });
      accepted.push(item);
    };
    await order('tea');
    for (const [part, item] of [
      ['deploy/shop', 'coffee'],
      ['deploy/queue', 'milk'],
      ['pod/db-0', 'sugar'],
    ] as const) {
      // The command may end with its container.
      await mendlet.tryKubectl(['exec', part, '--', 'kill', '1']);
      await order(item);
    }
    const allThere = (): Promise<boolean> =>
      until<boolean>('all orders in the database', async () => {
        const rows = await ask('all');
        return accepted.every((item) => rows.includes(` ${item}\n`)) ? { value: true } : { last: rows };
      });
    await allThere();
    await mendlet.kubectl(['delete', 'pod', 'db-0']);
    await allThere();
  });

  itConcurrentInWhole('claim', async () => {
    const starts = async (count: number): Promise<void> => {
      await mendlet.kubectl(['rollout', 'status', 'deploy/diary', '--timeout=300s']);
      await until(`${count} starts in the diary`, async () => {
        const { stdout } = await mendlet.tryKubectl(['logs', 'deploy/diary']);
        return stdout.trim().split('\n').length === count ? { value: true } : { last: stdout };
      });
    };
    await apply('claim');
    await starts(1);
    await mendlet.kubectl(['rollout', 'restart', 'deploy/diary']);
    await starts(2);
    await mendlet.kubectl(['delete', 'deploy', 'diary', '--cascade=foreground']);
    await apply('claim');
    await starts(3);
    await mendlet.kubectl(['delete', 'deploy/diary', 'pvc/diary']);
    await until('no volume of the diary', async () => {
      const last = await mendlet.kubectl(['get', 'pv']);
      return last.includes('default/diary') ? { last } : { value: true };
    });
  });

  itConcurrentInWhole('healing-ladder', async () => {
    await apply('healing-ladder');
    const pod = await mendlet.untilPod('ladder', 'at the end of its ladder', isStopped);
    expect(mainContainer(pod)?.restartCount).toBe(4);
    expect(pod.status.conditions).toContainEqual(
      expect.objectContaining({ type: 'mendlet.dev/HealingStopped', status: 'True', reason: 'AttemptsExhausted' }),
    );
    const events = await until<string>('the event of the stop', async () => {
      const text = await eventsOf('ladder');
      return text.includes('tried restarts: 2 of the container, 2 of the whole pod') ? { value: text } : { last: text };
    });
    expect(events).toContain('container main died 3 times within 10m0s: restarting the whole pod (1 of 2)');
    expect(await call('restart', 'pod/ladder', '--force')).toMatchObject({ code: 0 });
    await mendlet.untilPod('ladder', 'running again', (now) => mainContainer(now)?.state.running !== undefined);
  });

  itConcurrentInWhole('restart, and restart-object', async () => {
    await apply('restart');
    await mendlet.kubectl(['wait', '--for=condition=Ready', 'pod/restart', '--timeout=300s']);
    await apply('restart-object');
    const done = '--for=jsonpath={.status.phase}=Succeeded';
    await mendlet.kubectl(['wait', done, 'podrestart/new-certificate', '--timeout=300s']);
    expect(await apply('restart-object')).toContain('unchanged');
    const lives = (): Promise<string> => mendlet.kubectl(['exec', 'restart', '-c', 'web', '--', 'cat', '/data/lives']);
    expect((await lives()).trim().split('\n')).toHaveLength(2);
    expect(await call('restart', 'pod/restart', '-c', 'web')).toMatchObject({ code: 0 });
    const pod = await mendlet.pod('restart');
    expect(pod.status.containerStatuses?.map(({ name, restartCount }) => [name, restartCount])).toEqual([
      ['web', 2],
      ['side', 1],
    ]);
    expect(await call('restart', 'pod/restart', '--empty-dirs', 'all')).toMatchObject({ code: 0 });
    expect((await lives()).trim().split('\n')).toHaveLength(1);
  });

  it.concurrent('restart-role', async () => {
    await apply('restart-role');
    const may = async (verb: string, resource: string): Promise<string> => {
      const as = ['--as', 'system:serviceaccount:shop:restarter', '-n', 'shop'];
      return (await mendlet.tryKubectl(['auth', 'can-i', verb, resource, ...as])).stdout.trim();
    };
    await until('the role is there', async () => {
      const answer = await may('create', 'podrestarts');
      return answer === 'yes' ? { value: true } : { last: answer };
    });
    expect(await may('delete', 'pods')).toBe('no');
    expect(await may('get', 'pods')).toBe('no');
  });

  itConcurrentInWhole('healing-rules', async () => {
    await apply('healing-rules');
    const pod = await mendlet.untilPod('rules', 'stopped', isStopped);
    expect(mainContainer(pod)).toMatchObject({ restartCount: 5 });
    expect(mainContainer(pod)?.state.waiting?.message).toContain('exited with 78');
    expect(await mendlet.kubectl(['logs', 'rules'])).toBe('no such setting: colour\n');
    expect((await call('history', 'pod/rules')).stdout).toMatch(/6 +main .* 78 +Error +no such setting: colour/);
  });

  itConcurrentInWhole('late-recovery', async () => {
    await apply('late-recovery');
    await mendlet.untilPod(
      'client',
      'in a back-off that lasts',
      (pod) =>
        // A slow machine needs a part of the 40 s to start the database.
        (mainContainer(pod)?.restartCount ?? 0) >= 3 &&
        mainContainer(pod)?.state.waiting?.reason === 'CrashLoopBackOff',
    );
    await mendlet.kubectl(['scale', 'deployment/database', '--replicas', '1']);
    await mendlet.untilPod('client', 'running', (pod) => mainContainer(pod)?.ready === true);
    await until('its event', async () => {
      const events = await eventsOf('client');
      return /service\/database became ready: starting container main now instead of in \d+/.test(events)
        ? { value: true }
        : { last: events };
    });
  });

  itConcurrentInWhole('black-box', async () => {
    await apply('black-box');
    await mendlet.untilPod('black-box', 'dead twice, both containers', ({ status }) => {
      const counts = (status.containerStatuses ?? []).map(({ restartCount }) => restartCount);
      return counts.length === 2 && Math.min(...counts) >= 2;
    });
    const first = await call('logs', 'pod/black-box', '-c', 'main', '--death', '1');
    expect(first).toEqual({ code: 0, stdout: 'cannot open /etc/app.conf: no such file\n', stderr: '' });
    expect(await mendlet.kubectl(['logs', 'black-box', '-c', 'main', '--previous'])).toContain('locked by another');
    const { stdout } = await call('history', 'pod/black-box');
    expect(stdout).toMatch(/1 +main .* 2 +Error +cannot open/);
    expect(stdout).toMatch(/2 +main .* 17 +Error +locked by another process/);
    expect(stdout).toMatch(/1 +greedy .* 137 \(SIGKILL\) +OOMKilled +.*24Mi of 24Mi/);
  });

  itConcurrentInWhole('why', async () => {
    await apply('why');
    const why = async (pod: string, wanted: RegExp): Promise<void> => {
      await until(`the reason of why-${pod}`, async () => {
        const { stdout, stderr } = await call('why', `pod/why-${pod}`);
        return wanted.test(stdout) ? { value: true } : { last: stdout + stderr };
      });
    };
    await why('config', /there is no ConfigMap why-settings/);
    await why('command', /its program \/usr\/bin\/serve is not in image/);
    await why('memory', /killed for memory at its limit of 16Mi/);
    await why('probe', /nothing listens on port 8081/);
    await why('image', /registry localhost:1 cannot be reached/);
    await why('unschedulable', /no node takes pod why-unschedulable/);
    await why('well', /^nothing is wrong with pod\/why-well/);
  });
});

// `healing-moves` shows the same on three nodes.
describeInWhole('on two nodes', () => {
  let lab: Lab;
  beforeAll(async () => {
    lab = await Lab.create({ nodes: 2, clusterCidr: '10.159.0.0/16' });
    await lab.start();
  });
  afterAll(async () => lab?.down());

  it('another-node', async () => {
    await lab.kubectl(['apply', '-f', example('another-node')]);
    const list = async (): Promise<readonly ObservedPod[]> =>
      (await lab.read<{ items: ObservedPod[] }>('pods', { selector: 'app=move' })).items;
    const first = await until<ObservedPod>('a first pod', async () => {
      const [pod] = await list();
      return pod?.spec.nodeName === undefined ? { last: 'none' } : { value: pod };
    });
    expect(first.spec.nodeName).toBe('n1');
    await until('another pod that serves on n2', async () => {
      const pods = await list();
      const well = pods.some((pod) => pod.spec.nodeName === 'n2' && mainContainer(pod)?.ready === true);
      return well && pods.length === 1 ? { value: true } : { last: JSON.stringify(pods.map(({ status }) => status)) };
    });
    const path = '{.metadata.annotations.mendlet\\.dev/avoid-nodes}';
    const avoided = JSON.parse(await lab.kubectl(['get', 'deployment', 'move', '-o', `jsonpath=${path}`])) as object[];
    expect(avoided).toMatchObject([{ node: 'n1', pod: first.metadata.name }]);
  });
});
