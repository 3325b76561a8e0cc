import { describe, expect, it } from 'vitest';
import type { ContainerState as ApiContainerState, ContainerStatus, Pod, PodStatus } from '../../api/index.ts';
import { type ExecRequest, RuntimeError } from '../../cri/index.ts';
import {
  createMetrics,
  decodeText,
  encodeText,
  FileError,
  type HttpRequest,
  readAll,
  silentLogger,
  type UpgradeResponse,
} from '../../lib/index.ts';
import { memoryOpenFile } from '../../../test/support/memory-open-file.ts';
import { createManualClock } from '../../lib/manual-clock.node.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import type { PodDirectory, PodObservation, PodView } from '../types.ts';
import { createKubeletServer, type KubeletServerPorts } from './kubelet-server.ts';

const POD: Pod = {
  metadata: { name: 'p', namespace: 'ns', uid: 'u' },
  spec: { containers: [{ name: 'app', image: 'i', tty: true }], initContainers: [{ name: 'init', image: 'i' }] },
};

function status(state: ApiContainerState, lastState?: ApiContainerState): PodStatus {
  const app: ContainerStatus = {
    name: 'app',
    ready: true,
    restartCount: 0,
    image: 'i',
    imageID: '',
    state,
    ...(lastState && { lastState }),
    ...(state.running && { containerID: 'containerd://c1' }),
  };
  return { phase: 'Running', containerStatuses: [app] };
}

const ended = (containerID?: string): ApiContainerState => ({
  terminated: { exitCode: 1, ...(containerID && { containerID }) },
});
const RUNNING: ApiContainerState = { running: {} };

interface World {
  view: PodView;
  problem: string | undefined;
  asked: unknown[];
  dialled: string[];
  readonly server: ReturnType<typeof createKubeletServer>;
  get(url: string, method?: string): Promise<{ status: number; text: string; type: string }>;
  upgrade(url: string, protocol?: string): Promise<UpgradeResponse>;
}

function world(settings: Partial<KubeletSettings> = {}): World {
  const clock = createManualClock();
  const log = encodeText('2026-01-01T00:00:00Z stdout F hello\n');
  const container = (id: string, state: string) => ({ id, name: 'app', state, logPath: `/logs/${id}` });
  const observation = {
    uid: 'u',
    name: 'p',
    namespace: 'ns',
    sandboxes: [{ id: 's1', state: 'ready' }],
    containers: [container('c1', 'running'), container('c0', 'exited')],
    at: 0,
  } as unknown as PodObservation;
  const directory: PodDirectory = {
    pods: () => [result.view],
    find: (namespace, name) => (namespace === 'ns' && name === 'p' ? result.view : undefined),
  };
  const linked = new Set<string>();
  const fs = {
    openBelow: async () => expect.unreachable(),
    openFileBelow: async (root: string, below: string) => {
      const bytes = below === 'logs/c1' ? log : encodeText('2026-01-01T00:00:00Z stdout F before\n');
      if (root !== '/' || linked.has(below))
        throw new FileError('ELOOP', below, `"${below}" leads through a symbolic link`);
      return memoryOpenFile(() => bytes);
    },
    stat: async () => ({ type: 'file' as const, size: log.length, mode: 0, uid: 0, gid: 0, mtimeMs: 0 }),
    readdir: async () => [],
    watch: () => ({ close: () => {} }),
    readlink: async () => '',
  };
  const runtime: KubeletServerPorts['runtime'] = {
    execSync: async (_, command) => ({
      exitCode: command[0] === 'false' ? 1 : 0,
      stdout: command.join('|'),
      stderr: '!',
    }),
    exec: async (request: ExecRequest) => `http://runtime/exec/${result.asked.push(request)}`,
    attach: async (request) => `http://runtime/attach/${result.asked.push(request)}`,
    portForward: async (sandbox, ports) => {
      if (ports.includes(1)) throw new RuntimeError('NotFound', 'no such sandbox');
      return `http://runtime/forward/${result.asked.push([sandbox, ports])}`;
    },
  };
  const server = createKubeletServer(
    {
      clock,
      logger: silentLogger,
      fs,
      metrics: createMetrics(),
      runtime,
      streams: {
        upgrade: async (url) => {
          result.dialled.push(url);
          return { upgraded: false, response: { status: 200, headers: {}, body: encodeText('dialled') } };
        },
      },
    },
    { directory, health: { syncLoop: () => result.problem, runtimeErrors: () => [] } },
    { settings: { ...DEFAULT_SETTINGS, ...settings } },
  );
  const request = (url: string, method: string, headers = {}): HttpRequest => ({ method, url, headers });
  const result: World = {
    view: { pod: POD, status: status(RUNNING), observation },
    problem: undefined,
    asked: [],
    dialled: [],
    server,
    get: async (url, method = 'GET') => {
      const answer = await server.request(request(url, method));
      const text = decodeText(await readAll(answer.body, 1e6));
      return { status: answer.status, text, type: answer.headers['content-type'] ?? '' };
    },
    upgrade: (url, protocol = 'SPDY/3.1') =>
      server.upgrade(request(url, 'POST', { connection: 'Upgrade', upgrade: protocol })),
  };
  return result;
}

async function refusal(answer: UpgradeResponse): Promise<string> {
  if (answer.upgraded) return 'upgraded';
  return `${answer.response.status} ${decodeText(await readAll(answer.response.body, 1e6))}`;
}

describe('kubelet API', () => {
  it('says how it is', async () => {
    const w = world();
    expect(await w.get('/healthz')).toMatchObject({ status: 200, text: 'ok' });
    expect((await w.get('/healthz?verbose')).text).toBe(
      '[+]ping ok\n[+]log ok\n[+]syncloop ok\n[+]pleg ok\nhealthz check passed\n',
    );
    expect(await w.get('/healthz/syncloop')).toMatchObject({ status: 200, text: 'ok' });
    expect(await w.get('/healthz/nothing')).toMatchObject({ status: 404 });
    w.problem = 'sync Loop took longer than expected';
    expect(await w.get('/healthz')).toMatchObject({ status: 500 });
    expect((await w.get('/healthz')).text).toBe(
      '[+]ping ok\n[+]log ok\n[-]syncloop failed: sync Loop took longer than expected\n[+]pleg ok\nhealthz check failed\n',
    );
    expect(await w.get('/healthz/syncloop')).toMatchObject({ status: 500 });
    expect(await w.get('/healthz/ping')).toMatchObject({ status: 200 });
    expect((await w.get('/metrics')).type).toContain('version=0.0.4');
  });

  it('lists pods with their status', async () => {
    const list = JSON.parse((await world().get('/pods')).text);
    expect([list.kind, list.items[0].metadata.name, list.items[0].status.phase]).toEqual(['PodList', 'p', 'Running']);
  });

  it.each([
    ['/nothing', 'GET', 404],
    ['/pods', 'POST', 405],
    ['/containerLogs/ns/p', 'GET', 404],
    ['/containerLogs/%zz/p/app', 'GET', 400],
    ['/exec/ns/p/app?command=x&output=1', 'POST', 400],
  ])('%s %s: %d', async (url, method, code) => {
    expect((await world().get(url, method)).status).toBe(code);
  });
});

describe('more of the kubelet API', () => {
  it.each([
    ['/run/ns/p/app?cmd=ls+-l', 'POST', 200, 'ls|-l!'],
    ['/run/ns/p/u/app?cmd=ls', 'POST', 200, 'ls!'],
    ['/run/ns/p/app?cmd=false', 'POST', 500, "command 'false' exited with 1: !false"],
    ['/run/ns/p/app', 'POST', 400, 'you must specify a command in "cmd"'],
    ['/run/ns/p/init?cmd=ls', 'POST', 404, 'container not found ("init")'],
    ['/run/ns/other/app?cmd=ls', 'POST', 404, 'pod does not exist'],
    ['/run/ns/p/app?cmd=ls', 'GET', 405, '405: Method Not Allowed'],
    ['/checkpoint/ns/p/app', 'POST', 404, 'checkpoints of containers are not supported by this node'],
    ['/logs/%2e%2e/passwd', 'GET', 400, 'invalid URL path'],
    ['/logs/a%2f..%2f..%2fpasswd', 'GET', 400, 'invalid URL path'],
  ])('%s %s: %d', async (url, method, status, text) => {
    expect(await world().get(url, method)).toMatchObject({ status, text });
  });

  it('shows the settings in effect', async () => {
    const { kubeletconfig } = JSON.parse((await world({ maxPods: 12 }).get('/configz')).text);
    expect(kubeletconfig).toMatchObject({ maxPods: 12, evictionPressureTransitionPeriod: '5m0s' });
  });

  it('lists what runs', async () => {
    const list = JSON.parse((await world().get('/runningpods/')).text);
    expect(list.items).toMatchObject([{ metadata: { name: 'p', uid: 'u' }, spec: { containers: [{ name: 'app' }] } }]);
  });

  it('refuses what is switched off', async () => {
    const w = world({ enableDebuggingHandlers: false });
    for (const url of ['/containerLogs/ns/p/app', '/runningpods/', '/logs/']) {
      expect(await w.get(url)).toMatchObject({ status: 405, text: 'Debug endpoints are disabled.' });
    }
    expect(await refusal(await w.upgrade('/exec/ns/p/app?command=x&output=1'))).toBe(
      '405 Debug endpoints are disabled.',
    );
    expect(await w.get('/pods')).toMatchObject({ status: 200 });
    const quiet = world({ enableSystemLogHandler: false });
    expect(await quiet.get('/logs/')).toMatchObject({ status: 405, text: 'logs endpoint is disabled.' });
  });
});

describe('logs', () => {
  it.each<[string, string, PodStatus, number, string]>([
    ['of what runs', 'app', status(RUNNING), 200, 'hello\n'],
    ['of the one before', 'app?previous=true', status(RUNNING, ended('containerd://c0')), 200, 'before\n'],
    ['of what ended', 'app', status(ended('containerd://c0')), 200, 'before\n'],
    [
      'of the last that ran, while it waits',
      'app',
      status({ waiting: { reason: 'CrashLoopBackOff' } }, ended('containerd://c0')),
      200,
      'before\n',
    ],
    [
      'of none before',
      'app?previous=true',
      status(RUNNING),
      400,
      'previous terminated container "app" in pod "p" not found',
    ],
    [
      'of one to come',
      'app',
      status({ waiting: { reason: 'ContainerCreating' } }),
      400,
      'container "app" in pod "p" is waiting to start: ContainerCreating',
    ],
    [
      'without its image',
      'app',
      status({ waiting: { reason: 'ErrImagePull' } }),
      400,
      'container "app" in pod "p" is waiting to start: image can\'t be pulled',
    ],
    ['of a container nobody has', 'nope', status(RUNNING), 404, 'container "nope" not found in pod "p"'],
    ['of one without status', 'init', status(RUNNING), 400, 'container "init" in pod "p" is not available'],
    ['of one that left nothing', 'app', status(ended()), 400, 'container "app" in pod "p" is terminated'],
    [
      'of one that is removed',
      'app',
      status(ended('containerd://gone')),
      404,
      'unable to retrieve container logs for gone',
    ],
    [
      'with a bad number',
      'app?tailLines=-1',
      status(RUNNING),
      400,
      'invalid tailLines: -1: must be an integer of at least 0',
    ],
  ])('%s', async (_, path, podStatus, code, text) => {
    const w = world();
    w.view = { ...w.view, status: podStatus };
    expect(await w.get(`/containerLogs/ns/p/${path}`)).toMatchObject({ status: code, text });
  });

  it('of a pod nobody has', async () => {
    expect(await world().get('/containerLogs/ns/other/app')).toMatchObject({
      status: 404,
      text: 'pod "other" not found',
    });
  });
});

describe('streams', () => {
  it('exec goes to the runtime with what was asked', async () => {
    const w = world();
    await w.upgrade('/exec/ns/p/app?command=sh&command=-c&input=1&output=1&error=1');
    expect(w.asked).toEqual([
      { containerId: 'c1', command: ['sh', '-c'], stdin: true, stdout: true, stderr: true, tty: false },
    ]);
    expect(w.dialled).toEqual(['http://runtime/exec/1']);
  });

  it('a terminal has one output, and attach takes the container’s', async () => {
    const w = world();
    await w.upgrade('/exec/ns/p/u/app?command=sh&output=1&error=1&tty=1');
    await w.upgrade('/attach/ns/p/app?output=1&error=1');
    expect(w.asked).toMatchObject([
      { stderr: false, tty: true },
      { stderr: false, tty: true },
    ]);
  });

  it('port-forward goes to the sandbox', async () => {
    const w = world();
    await w.upgrade('/portForward/ns/p?port=80');
    expect(w.asked).toEqual([['s1', [80]]]);
    expect(await refusal(await w.upgrade('/portForward/ns/p?port=1'))).toBe('404 no such sandbox');
  });

  it.each([
    ['/exec/ns/p/app?command=x&output=1', 'websocket', '405 a WebSocket is opened with GET'],
    ['/exec/ns/p/app?output=1', 'SPDY/3.1', '400 you must specify a command'],
    ['/exec/ns/p/app?command=x', 'SPDY/3.1', '400 you must specify at least 1 of stdin, stdout, stderr'],
    ['/exec/ns/p/init?command=x&output=1', 'SPDY/3.1', '404 container not found ("init")'],
    ['/exec/ns/other/app?command=x&output=1', 'SPDY/3.1', '404 pod does not exist'],
    ['/nothing/ns/p/app', 'SPDY/3.1', '404 404 page not found'],
  ])('%s by %s: %s', async (url, protocol, expected) => {
    expect(await refusal(await world().upgrade(url, protocol))).toBe(expected);
  });
});
