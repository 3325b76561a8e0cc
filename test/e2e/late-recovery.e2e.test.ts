/**
 * Tests back-offs that end early on real containers. The pods' own curve waits ten minutes before a second restart, longer
 * than any
 * of these tests, so an earlier start comes from the recovery.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { itConcurrentInWhole } from './extent.ts';
import { busyboxPod, mainContainer, Mendlet, type ObservedPod, outFolder, run, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 176 });
beforeAll(() => mendlet.up());
afterAll(() => mendlet.down());

const DEPENDS_ON = 'mendlet.dev/depends-on';
/** A policy with only the first rung, because the tests are about the times of starts. */
const POLICY = {
  'mendlet.dev/healing-policy': '{"backOff":{"initial":"10m"},"rungs":[{"scope":"container","attempts":100}]}',
};
const BUSYBOX = 'docker.io/library/busybox:latest';

const host = { hostNetwork: true };
const connect = (port: number): string =>
  `echo start >>/tmp/x; wget -q -O /dev/null http://127.0.0.1:${port}/ || exit 1; exec sleep 3600`;

/** A pod that has crashed twice: its first restart came at once, the second waits. */
async function waiting(name: string): Promise<ObservedPod> {
  return await mendlet.untilPod(name, 'in its back-off', (pod) => {
    const main = mainContainer(pod);
    return main?.restartCount === 1 && main.state.waiting?.reason === 'CrashLoopBackOff';
  });
}

const runningAgain = (name: string): Promise<ObservedPod> =>
  mendlet.untilPod(name, 'running again', (pod) => {
    const main = mainContainer(pod);
    return main?.restartCount === 2 && main.state.running !== undefined;
  });

/** The causes that ended the pod's back-offs, oldest first. */
async function endsOf(name: string): Promise<string[]> {
  return await until<string[]>(`events of ${name}`, async () => {
    const fields = `involvedObject.name=${name},reason=BackOffEnded`;
    const { items } = await mendlet.read<{ items: { message: string }[] }>('events', { fields });
    return items.length === 0 ? { last: 'none' } : { value: items.map(({ message }) => message) };
  });
}

interface Note {
  /** Wall ms, newest first. */
  readonly earlyEnds?: readonly number[];
  readonly circumstances?: Readonly<Record<string, { readonly value: string }>>;
}

/** The agent's note of a pod. */
async function noteOf(name: string): Promise<Note> {
  const { metadata } = await mendlet.pod(name);
  const path = join(mendlet.dataDir, 'agent/pods-memory', `${metadata.uid}.json`);
  return (JSON.parse(readFileSync(path, 'utf8')) as { note: Note }).note;
}

async function listen(port: number): Promise<Server> {
  return await new Promise((done, fail) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.end('HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n');
    });
    server.on('error', fail);
    server.listen(port, '127.0.0.1', () => done(server));
  });
}

describe('a back-off', () => {
  it.concurrent('ends when the service that the pod names gets an endpoint that is ready', async () => {
    const port = await freePort();
    await mendlet.create(
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'db' },
        spec: { selector: { app: 'db' }, ports: [{ port: 5432, targetPort: port }] },
      },
      busyboxPod('client', connect(port), {
        metadata: { annotations: { ...POLICY, [DEPENDS_ON]: 'service/db:5432' } },
        spec: host,
      }),
      busyboxPod('by-pod', connect(port), {
        metadata: { annotations: { ...POLICY, [DEPENDS_ON]: 'pod/db' } },
        spec: host,
      }),
    );
    await waiting('client');
    await waiting('by-pod');
    await mendlet.create(
      busyboxPod('db', `mkdir /www; echo ok >/www/index.html; sleep 1; exec httpd -f -p ${port} -h /www`, {
        metadata: { labels: { app: 'db' } },
        spec: host,
        container: { readinessProbe: { tcpSocket: { port, host: '127.0.0.1' }, periodSeconds: 1 } },
      }),
    );
    const client = await runningAgain('client');
    await runningAgain('by-pod');
    expect((await endsOf('client')).join()).toMatch(
      /^service\/db:5432 became ready: starting container main now instead of in \d+m\d+s$/,
    );
    expect((await endsOf('by-pod')).join()).toMatch(/^pod\/db became ready: /);
    const db = await mendlet.pod('db');
    const readyAt = db.status.conditions?.find(({ type }) => type === 'Ready');
    const startedAt = mainContainer(client)?.state.running?.startedAt ?? '';
    expect(Date.parse(startedAt)).toBeGreaterThanOrEqual(
      Date.parse((readyAt as { lastTransitionTime?: string }).lastTransitionTime ?? ''),
    );
    const { metadata } = client as unknown as { metadata: { annotations: Record<string, string> } };
    expect(JSON.parse(metadata.annotations['mendlet.dev/healing'] ?? '{}')).toMatchObject({
      recovery: { cause: 'service/db:5432 became ready' },
    });
  });

  it.concurrent('ends when an address accepts connections, for who names it and has no policy, too', async () => {
    const port = await freePort();
    await mendlet.create(
      busyboxPod('dials', connect(port), {
        metadata: { annotations: { ...POLICY, [DEPENDS_ON]: `127.0.0.1:${port}` } },
        spec: host,
      }),
      busyboxPod('plain-dials', connect(port), {
        metadata: { annotations: { [DEPENDS_ON]: `127.0.0.1:${port}, nonsense` } },
        spec: host,
      }),
    );
    await waiting('dials');
    // Kubernetes' own curve: 0, 10, 20 seconds, or more on a slow machine.
    await mendlet.untilPod('plain-dials', 'waiting for 20 s', (pod) => {
      const main = mainContainer(pod);
      return (main?.restartCount ?? 0) >= 2 && main?.state.waiting?.reason === 'CrashLoopBackOff';
    });
    expect(mainContainer(await mendlet.pod('dials'))?.restartCount).toBe(1);
    const server = await listen(port);
    try {
      await runningAgain('dials');
      await mendlet.untilPod('plain-dials', 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    } finally {
      server.close();
    }
    expect((await endsOf('dials')).join()).toContain(
      `127.0.0.1:${port} accepts connections: starting container main now`,
    );
    expect((await endsOf('plain-dials')).join()).toContain(`127.0.0.1:${port} accepts connections: `);
    expect(await mendlet.kubectl(['events', '--for', 'pod/plain-dials'])).toContain(
      'InvalidDependency   Pod/plain-dials   annotation mendlet.dev/depends-on: "nonsense": must be service/NAME',
    );
  });

  itConcurrentInWhole('ends when a ConfigMap that its environment comes from changed', async () => {
    await mendlet.kubectl(['create', 'configmap', 'mode', '--from-literal=mode=bad']);
    const env = { env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'mode', key: 'mode' } } }] };
    const script = '[ "$MODE" = good ] || exit 1; exec sleep 3600';
    await mendlet.create(
      busyboxPod('configured', script, { metadata: { annotations: POLICY }, container: env }),
      busyboxPod('declines', script, {
        metadata: {
          annotations: { 'mendlet.dev/healing-policy': '{"lateRecovery":"Never","backOff":{"initial":"10m"}}' },
        },
        container: env,
      }),
    );
    await waiting('configured');
    await waiting('declines');
    await mendlet.kubectl(['label', 'configmap', 'mode', 'touched=yes']);
    await mendlet.kubectl(['patch', 'configmap', 'mode', '-p', '{"data":{"mode":"good"}}']);
    await runningAgain('configured');
    expect((await endsOf('configured')).join()).toContain(
      'configmap/mode changed: starting container main now instead',
    );
    expect(mainContainer(await mendlet.pod('declines'))).toMatchObject({
      restartCount: 1,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
    });
  });

  itConcurrentInWhole('ends when a Secret was made that it could do without at first', async () => {
    const source = { name: 'token', key: 'token', optional: true };
    await mendlet.create(
      busyboxPod('secretive', '[ -n "$TOKEN" ] || exit 1; exec sleep 3600', {
        metadata: { annotations: POLICY },
        container: { env: [{ name: 'TOKEN', valueFrom: { secretKeyRef: source } }] },
      }),
    );
    await waiting('secretive');
    await mendlet.kubectl(['create', 'secret', 'generic', 'token', '--from-literal=token=t']);
    await runningAgain('secretive');
    expect((await endsOf('secretive')).join()).toContain('secret/token was created: starting container main now');
  });

  itConcurrentInWhole('ends when the image that could not be pulled is there', async () => {
    const image = 'docker.io/library/late:1';
    await mendlet.create(
      busyboxPod('imported', 'exec sleep 3600', { metadata: { annotations: POLICY }, container: { image } }),
    );
    await until('its second failed pull', async () => {
      const fields = 'involvedObject.name=imported,reason=Failed';
      const { items } = await mendlet.read<{ items: { message: string; count?: number }[] }>('events', { fields });
      const pulls = items.filter(({ message }) => message.startsWith('Failed to pull image'));
      const count = pulls.reduce((sum, each) => sum + (each.count ?? 1), 0);
      return count >= 2 ? { value: count } : { last: String(count) };
    });
    const folder = join(mendlet.dataDir, 'containerd');
    const configs = readdirSync(folder).filter((name) => name.endsWith('.toml'));
    const [socket = ''] = configs.flatMap(
      (name) => /\/run\/[^"]*containerd\.sock(?=")/.exec(readFileSync(join(folder, name), 'utf8')) ?? [],
    );
    const tagged = await run('ctr', ['-a', socket, '-n', 'k8s.io', 'images', 'tag', BUSYBOX, image]);
    expect(tagged).toMatchObject({ code: 0 });
    await mendlet.untilPod('imported', 'running', (pod) => mainContainer(pod)?.state.running !== undefined);
    expect((await endsOf('imported')).join()).toContain(
      `image ${image} became available: pulling the image of container main now instead of in`,
    );
  });

  itConcurrentInWhole('ends again and again where an address comes and goes, and nothing loops hot', async () => {
    const port = await freePort();
    const out = outFolder(mendlet, 'flapping');
    await mendlet.create(
      busyboxPod('flapping', 'cut -d" " -f1 /proc/uptime >>/out/starts; exit 1', {
        metadata: { annotations: { ...POLICY, [DEPENDS_ON]: `127.0.0.1:${port}` } },
        spec: out.spec,
        container: out.mount,
      }),
    );
    await waiting('flapping');
    let flaps = 0;
    await until('five starts', async () => {
      const server = await listen(port);
      flaps += 1;
      await sleep(1300);
      await new Promise((done) => server.close(done));
      await sleep(1000);
      const lines = out.lines('starts');
      return lines.length >= 5 ? { value: lines } : { last: lines.join() };
    });
    const [, second = 0, ...ended] = out.lines('starts').map(Number);
    // The first restart comes at once. The others were decided at least two seconds apart, all after the second start and each
    // before its own start; a slow machine may delay the output of a process.
    expect((ended.at(-1) ?? 0) - second).toBeGreaterThan((ended.length - 1) * 2 - 0.1);
    expect(ended.length).toBeLessThanOrEqual(flaps);
    const decided = (await noteOf('flapping')).earlyEnds ?? [];
    expect(decided.length).toBeGreaterThanOrEqual(ended.length);
    const gaps = decided.slice(1).map((at, n) => (decided[n] ?? 0) - at);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2000);
  });

  it.concurrent('does not end early without being asked to', async () => {
    await mendlet.kubectl(['create', 'configmap', 'plain', '--from-literal=a=1']);
    const out = outFolder(mendlet, 'plain');
    await mendlet.create(
      busyboxPod('plain', 'cut -d" " -f1 /proc/uptime >>/out/starts; exit 1', {
        spec: out.spec,
        container: { ...out.mount, envFrom: [{ configMapRef: { name: 'plain' } }] },
      }),
    );
    await waiting('plain');
    for (let n = 2; out.lines('starts').length < 3; n += 1) {
      await mendlet.kubectl(['patch', 'configmap', 'plain', '-p', `{"data":{"a":"${n}"}}`]);
      await sleep(1000);
    }
    const starts = out.lines('starts').map(Number);
    expect(starts[2]! - starts[1]!).toBeGreaterThan(9.9);
  });
});

describe('another agent', () => {
  it('sees what came back while there was none', async () => {
    const port = await freePort();
    await mendlet.kubectl(['create', 'configmap', 'later', '--from-literal=mode=bad']);
    await mendlet.create(
      busyboxPod('survivor', connect(port), {
        metadata: { annotations: { ...POLICY, [DEPENDS_ON]: `127.0.0.1:${port}` } },
        spec: host,
      }),
      busyboxPod('configured-later', '[ "$MODE" = good ] || exit 1; exec sleep 3600', {
        metadata: { annotations: POLICY },
        container: { env: [{ name: 'MODE', valueFrom: { configMapKeyRef: { name: 'later', key: 'mode' } } }] },
      }),
    );
    await waiting('survivor');
    await waiting('configured-later');
    await until('the note of what it dialled in vain', async () => {
      const { circumstances = {} } = await noteOf('survivor');
      return circumstances[`address/127.0.0.1:${port}`]?.value === 'unreachable'
        ? { value: true }
        : { last: JSON.stringify(circumstances) };
    });
    await mendlet.end('SIGKILL');
    const server = await listen(port);
    try {
      await mendlet.up();
      await runningAgain('survivor');
    } finally {
      server.close();
    }
    expect(mainContainer(await mendlet.pod('configured-later'))?.restartCount).toBe(1);
    await mendlet.kubectl(['patch', 'configmap', 'later', '-p', '{"data":{"mode":"good"}}']);
    await runningAgain('configured-later');
    expect((await endsOf('survivor')).join()).toContain('accepts connections');
  });
});
