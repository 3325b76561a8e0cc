import { describe, expect, it } from 'vitest';
import type { Pod, Probe } from '../../api/index.ts';
import { type ContainerState, type ContainerStatus, type ExecResult, RuntimeError } from '../../cri/index.ts';
import { createMetrics, seededRandom, silentLogger } from '../../lib/index.ts';
import { createManualClock, type ManualClock, settle } from '../../lib/manual-clock.node.ts';
import type { ProbeAttempt, ProbeTransport } from '../ports.ts';
import type { PodObservation, ProbeManager } from '../types.ts';
import { createProbeManager, type ProbeManagerPorts } from './probe-manager.ts';
import type { FailedAttempt } from './probe-worker.ts';

const EXEC: Probe = { exec: { command: ['check', 'me'] }, periodSeconds: 10, failureThreshold: 2 };

interface World {
  readonly clock: ManualClock;
  readonly manager: ProbeManager;
  readonly events: string[];
  readonly failed: FailedAttempt[];
  readonly dirty: string[];
  readonly metrics: ReturnType<typeof createMetrics>;
  /** Wall ms of each attempt. */
  readonly attempts: number[];
  answer: () => Promise<ExecResult>;
  network: (request: unknown) => Promise<ProbeAttempt>;
}

const OK: ExecResult = { exitCode: 0, stdout: 'fine', stderr: '' };
const BAD: ExecResult = { exitCode: 1, stdout: 'sick', stderr: '' };

function world(): World {
  const clock = createManualClock();
  const metrics = createMetrics();
  const events: string[] = [];
  const failed: FailedAttempt[] = [];
  const dirty: string[] = [];
  const attempts: number[] = [];
  const state = {
    answer: async (): Promise<ExecResult> => OK,
    network: async (): Promise<ProbeAttempt> => ({ result: 'success', output: '' }),
  };
  const transport: ProbeTransport = {
    http: (request) => result.network(request),
    tcp: (request) => result.network(request),
    grpc: (request) => result.network(request),
  };
  const runtime: ProbeManagerPorts['runtime'] = {
    execSync: () => {
      attempts.push(clock.now().wall);
      return result.answer();
    },
  };
  const manager = createProbeManager(
    { clock, random: seededRandom(3), logger: silentLogger, metrics, runtime, transport },
    { version: 'v1.36.4+mendlet.1', hostIp: () => '192.0.2.1' },
    {
      events: {
        pod: (_, type, reason, message, path) => events.push(`${type} ${reason} ${message} [${path}]`),
        node: () => {},
      },
      markDirty: (uid, cause) => dirty.push(`${uid} ${cause}`),
      onFailure: (attempt) => failed.push(attempt),
    },
  );
  const result: World = { clock, manager, events, failed, dirty, metrics, attempts, ...state };
  return result;
}

function pod(
  probes: { readonly startup?: Probe; readonly liveness?: Probe; readonly readiness?: Probe },
  status?: Pod['status'],
): Pod {
  return {
    metadata: { name: 'p', namespace: 'ns', uid: 'u' },
    spec: {
      containers: [
        {
          name: 'app',
          image: 'i',
          ports: [{ name: 'web', containerPort: 8080 }],
          ...(probes.startup && { startupProbe: probes.startup }),
          ...(probes.liveness && { livenessProbe: probes.liveness }),
          ...(probes.readiness && { readinessProbe: probes.readiness }),
        },
      ],
    },
    ...(status && { status }),
  };
}

function observation(id: string, state: ContainerState, startedAt: number): PodObservation {
  const container = { id, name: 'app', state, startedAt } as ContainerStatus;
  const sandbox = { id: 's', state: 'ready', ips: ['10.0.0.7'] } as unknown as PodObservation['sandboxes'][number];
  return { uid: 'u', name: 'p', namespace: 'ns', sandboxes: [sandbox], containers: [container], at: 0 };
}

/** A container that starts now. */
function begin(w: World, spec: Pod, id = 'c1'): void {
  w.manager.sync(spec, observation(id, 'running', w.clock.now().wall), { terminating: false });
}

describe('probe manager', () => {
  it('asks readiness at once, and again each period', async () => {
    const w = world();
    begin(w, pod({ readiness: EXEC }));
    expect(w.manager.results('u')).toEqual({ c1: { readiness: 'failure' } });
    await settle();
    await w.clock.advance(0);
    expect(w.manager.results('u')).toEqual({ c1: { readiness: 'success' } });
    expect(w.dirty).toEqual(['u probe']);
    await w.clock.advance(60_000);
    const gaps = w.attempts.slice(2).map((at, index) => at - (w.attempts[index + 1] as number));
    expect(new Set(gaps)).toEqual(new Set([10_000]));
  });

  it('waits for the initial delay, counted from the container’s start', async () => {
    const w = world();
    const started = w.clock.now().wall - 20_000;
    const spec = pod({ readiness: { ...EXEC, initialDelaySeconds: 30 } });
    w.manager.sync(spec, observation('c1', 'running', started), { terminating: false });
    await w.clock.advance(9000);
    expect(w.attempts).toEqual([]);
    await w.clock.advance(11_000);
    expect(w.attempts.length).toBeGreaterThan(0);
    expect((w.attempts[0] as number) - started).toBeGreaterThanOrEqual(30_000);
  });

  it('holds after liveness failed, until there is a new container', async () => {
    const w = world();
    w.answer = async () => BAD;
    begin(w, pod({ liveness: EXEC }));
    expect(w.manager.results('u')).toEqual({ c1: { liveness: 'success' } });
    await w.clock.advance(20_000);
    expect(w.manager.results('u')).toEqual({ c1: { liveness: 'failure' } });
    expect(w.attempts.length).toBe(2);
    const failed = w.failed.map(({ containerId, kind, output, decides }) => [containerId, kind, output, decides]);
    expect(failed).toEqual([
      ['c1', 'liveness', 'sick', false],
      ['c1', 'liveness', 'sick', true],
    ]);
    expect(w.events).toEqual(Array(2).fill('Warning Unhealthy Liveness probe failed: sick [spec.containers{app}]'));
    await w.clock.advance(60_000);
    expect(w.attempts.length).toBe(2);
    begin(w, pod({ liveness: EXEC }), 'c2');
    expect(w.manager.results('u')).toEqual({ c2: { liveness: 'success' } });
    await w.clock.advance(20_000);
    expect(w.attempts.length).toBe(4);
  });

  it('lets startup gate the others', async () => {
    const w = world();
    w.answer = async () => BAD;
    begin(w, pod({ startup: { ...EXEC, failureThreshold: 30 }, liveness: EXEC, readiness: EXEC }));
    await w.clock.advance(25_000);
    expect(w.attempts.length).toBe(3);
    expect(w.manager.results('u')['c1']).toEqual({ startup: 'unknown', liveness: 'success', readiness: 'failure' });
    w.answer = async () => OK;
    await w.clock.advance(10_000);
    expect(w.manager.results('u')['c1']).toEqual({ startup: 'success', liveness: 'success', readiness: 'success' });
    const before = w.attempts.length;
    await w.clock.advance(100_000);
    expect(w.attempts.length - before).toBeGreaterThan(18);
  });

  it('counts no error, tries it three times, and says so', async () => {
    const w = world();
    w.answer = () => Promise.reject(new RuntimeError('Unavailable', 'runtime is away'));
    begin(w, pod({ liveness: { ...EXEC, failureThreshold: 1 } }));
    await w.clock.advance(10_000);
    expect(w.attempts.length).toBe(3);
    expect(w.manager.results('u')).toEqual({ c1: { liveness: 'success' } });
    expect(w.events).toEqual([
      'Warning Unhealthy Liveness probe errored and resulted in unknown state: runtime is away [spec.containers{app}]',
    ]);
    expect(w.metrics.text()).toContain('result="unknown"');
  });

  it('asks a gRPC server by the address of the pod', async () => {
    const w = world();
    const asked: unknown[] = [];
    w.network = async (request) => {
      asked.push(request);
      return { result: 'failure', output: 'service unhealthy (responded with "NOT_SERVING")' };
    };
    begin(w, pod({ readiness: { grpc: { port: 9000, service: 'db' }, timeoutSeconds: 3 } }));
    await w.clock.advance(1000);
    const userAgent = 'kube-probe/1.36';
    expect(asked[0]).toEqual({ host: '10.0.0.7', port: 9000, service: 'db', userAgent, timeoutMs: 3000 });
    expect(w.events.join()).toContain('Readiness probe failed: service unhealthy (responded with "NOT_SERVING")');
  });

  it('tells a command that timed out as it is written: its variables may hold a password', async () => {
    const w = world();
    const exec = { ...EXEC, exec: { command: ['psql', 'password=$(PW)'] }, failureThreshold: 1 };
    const given = pod({ liveness: exec });
    const [container] = given.spec?.containers ?? [];
    if (container !== undefined) container.env = [{ name: 'PW', value: 'hunter22' }];
    w.answer = async () => {
      await w.clock.sleep(1000);
      throw new RuntimeError('DeadlineExceeded', 'deadline exceeded');
    };
    begin(w, given);
    await w.clock.advance(15_000);
    expect(w.events.join('\n')).toContain('command timed out: "psql password=$(PW)" timed out after 1s');
    expect(w.events.join('\n')).not.toContain('hunter22');
  });

  it('takes a command that times out for a failure, unless we were away', async () => {
    const w = world();
    const timeOut = async (): Promise<ExecResult> => {
      await w.clock.sleep(1000);
      throw new RuntimeError('DeadlineExceeded', 'deadline exceeded');
    };
    w.answer = timeOut;
    begin(w, pod({ liveness: { ...EXEC, failureThreshold: 1 }, readiness: EXEC }));
    await w.clock.advance(100);
    await w.clock.suspend(300_000);
    expect(w.events.filter((event) => event.includes('probe failed'))).toEqual([]);
    expect(w.manager.results('u')['c1']?.liveness).toBe('success');
    await w.clock.advance(15_000);
    expect(w.manager.results('u')['c1']?.liveness).toBe('failure');
    expect(w.events).toContain(
      'Warning Unhealthy Liveness probe failed: command timed out: "check me" timed out after 1s [spec.containers{app}]',
    );
  });

  it('stops liveness and startup of a pod that ends, and goes on with readiness', async () => {
    const w = world();
    const spec = pod({ liveness: EXEC, readiness: EXEC });
    begin(w, spec);
    w.answer = async () => BAD;
    w.manager.sync(spec, observation('c1', 'running', w.clock.now().wall), { terminating: true });
    await w.clock.advance(60_000);
    expect(w.manager.results('u')['c1']).toEqual({ liveness: 'success', readiness: 'failure' });
    expect(w.events.every((event) => event.includes('Readiness'))).toBe(true);
    expect(w.events.length).toBeGreaterThan(3);
  });

  it('keeps what the server had acknowledged before this agent started (KEP-4781)', async () => {
    const w = world();
    const started = w.clock.now().wall - 100_000;
    const acknowledged = {
      name: 'app',
      ready: true,
      started: true,
      restartCount: 0,
      image: '',
      imageID: '',
      containerID: 'containerd://c1',
    };
    const spec = pod({ startup: EXEC, readiness: EXEC }, { containerStatuses: [acknowledged] });
    w.answer = async () => BAD;
    w.manager.sync(spec, observation('c1', 'running', started), { terminating: false });
    expect(w.manager.results('u')).toEqual({ c1: { startup: 'success', readiness: 'success' } });
    await w.clock.advance(25_000);
    expect(w.manager.results('u')['c1']?.readiness).toBe('failure');
    w.manager.sync(spec, observation('c2', 'running', w.clock.now().wall), { terminating: false });
    expect(w.manager.results('u')).toEqual({ c2: { startup: 'unknown', readiness: 'failure' } });
  });

  it('resolves named ports and asks the pod’s address, or the node’s on the host network', async () => {
    const w = world();
    const asked: unknown[] = [];
    w.network = async (request) => {
      asked.push(request);
      return { result: 'success', output: '', warning: 'Probe terminated redirects' };
    };
    const spec = pod({
      readiness: { httpGet: { port: 'web', path: 'ready', httpHeaders: [{ name: 'X', value: 'y' }] } },
    });
    begin(w, spec);
    await w.clock.advance(0);
    begin(
      w,
      {
        ...pod({ readiness: { tcpSocket: { port: 9 } } }),
        spec: { ...pod({ readiness: { tcpSocket: { port: 9 } } }).spec, hostNetwork: true } as Pod['spec'] & object,
      },
      'c2',
    );
    await w.clock.advance(0);
    expect(asked).toEqual([
      {
        scheme: 'http',
        host: '10.0.0.7',
        port: 8080,
        path: '/ready',
        timeoutMs: 1000,
        headers: [
          { name: 'X', value: 'y' },
          { name: 'User-Agent', value: 'kube-probe/1.36' },
          { name: 'Accept', value: '*/*' },
        ],
      },
      { host: '192.0.2.1', port: 9, timeoutMs: 1000 },
    ]);
    expect(w.events[0]).toBe(
      'Warning ProbeWarning Readiness probe warning: Probe terminated redirects [spec.containers{app}]',
    );
  });

  it('leaves nothing behind', async () => {
    const w = world();
    begin(w, pod({ startup: EXEC, liveness: EXEC, readiness: EXEC }));
    await w.clock.advance(30_000);
    expect(w.metrics.text()).toContain('prober_probe_total{');
    w.manager.forget('u');
    await settle();
    expect(w.clock.pendingTimers).toBe(0);
    expect(w.metrics.text()).not.toContain('prober_probe_total{');
    expect(w.manager.results('u')).toEqual({});
  });
});
