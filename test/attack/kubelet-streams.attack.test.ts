/**
 * Tests the kubelet's own API, on its port and through nodes/proxy: a user with only read rights runs nothing in a container,
 * with
 * any method, upgrade or spelling of the path, and a stranger gets nothing at all.
 */
import { describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../../src/apiserver/test-server.ts';
import { createKubeClient } from '../../src/client/index.ts';
import { createAccessControl, guardConnection } from '../../src/kubelet/index.ts';
import { createKubeletServer } from '../../src/kubelet/server/kubelet-server.ts';
import { historyRoutes } from '../../src/kubelet/server/history-routes.ts';
import type { PodDirectory, PodObservation, PodView } from '../../src/kubelet/types.ts';
import {
  FileError,
  type Connection,
  createMetrics,
  decodeText,
  encodeText,
  readAll,
  silentLogger,
  type UserInfo,
} from '../../src/lib/index.ts';
import { createManualClock } from '../../src/lib/manual-clock.node.ts';
import { sha256Hex } from '../../src/lib/sha256.node.ts';
import { SPELLINGS } from './access/spellings.ts';
import { inShort } from './extent.ts';

const GROUPS = ['system:authenticated'];
const READER: UserInfo = { name: 'reader', groups: GROUPS };
const RUNNER: UserInfo = { name: 'runner', groups: GROUPS };
const STRANGER: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const STREAMS = [
  '/exec/ns/p/app?command=id&output=1',
  '/exec/ns/p/u/app?command=id&output=1',
  '/attach/ns/p/app?output=1',
  '/portForward/ns/p?port=80',
  '/run/ns/p/app?cmd=id',
];
const READS = [
  '/healthz',
  '/healthz/ping',
  '/pods',
  '/runningpods',
  '/metrics',
  '/metrics/cadvisor',
  '/stats/summary',
  '/logs/',
  '/configz',
  '/containerLogs/ns/p/app',
  '/mendlet/v1/history',
  '/mendlet/v1/path?namespace=ns&service=s',
  '/checkpoint/ns/p/app',
  '/debug/pprof/heap',
  '/',
  '/nothing',
];
const UPGRADE = { connection: 'Upgrade', upgrade: 'websocket', 'sec-websocket-version': '13' };
const WEBSOCKET = {
  ...UPGRADE,
  'sec-websocket-key': 'AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol': 'v5.channel.k8s.io',
};
const SPDY = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };

interface World {
  readonly api: TestServer;
  /** Commands that were run. */
  readonly ran: string[];
  /** The ways to the kubelet: by its port, and through the API server. */
  readonly ways: readonly { readonly name: string; readonly connection: Connection; readonly prefix: string }[];
}

function kubelet(ran: string[], clock: ReturnType<typeof createManualClock>): Connection {
  const containers = [{ id: 'c1', name: 'app', state: 'running', logPath: '/logs/c1' }];
  const sandboxes = [{ id: 's1', state: 'ready' }];
  const status = {
    phase: 'Running',
    containerStatuses: [
      {
        name: 'app',
        ready: true,
        restartCount: 0,
        image: 'i',
        imageID: '',
        state: { running: {} },
        containerID: 'containerd://c1',
      },
    ],
  };
  const view = {
    pod: { metadata: { name: 'p', namespace: 'ns', uid: 'u' }, spec: { containers: [{ name: 'app', image: 'i' }] } },
    status,
    observation: { uid: 'u', name: 'p', namespace: 'ns', sandboxes, containers, at: 0 } as unknown as PodObservation,
  } as unknown as PodView;
  const directory: PodDirectory = { pods: () => [view], find: () => view };
  const run = (what: string) => async (): Promise<string> => `http://runtime/${ran.push(what)}`;
  return createKubeletServer(
    {
      clock,
      logger: silentLogger,
      fs: {
        openFileBelow: async () => undefined,
        openBelow: () => Promise.reject(new FileError('ENOENT', '/', 'there is nothing')),
        stat: async () => ({ type: 'file' as const, size: 0, mode: 0, uid: 0, gid: 0, mtimeMs: 0 }),
        readdir: async () => [],
        watch: () => ({ close: () => {} }),
        readlink: async () => '',
      },
      metrics: createMetrics(),
      runtime: {
        execSync: async () => {
          ran.push('run');
          return { exitCode: 0, stdout: '', stderr: '' };
        },
        exec: run('exec'),
        attach: run('attach'),
        portForward: run('forward'),
      },
      streams: {
        upgrade: async () => ({ upgraded: false, response: { status: 200, headers: {}, body: encodeText('dialled') } }),
      },
    },
    {
      directory,
      health: { syncLoop: () => undefined, runtimeErrors: () => [] },
    },
    {
      routes: historyRoutes({ index: async () => ({}), find: async () => ({ items: [] }) } as unknown as Parameters<
        typeof historyRoutes
      >[0]),
    },
  );
}

async function world(): Promise<World> {
  const clock = createManualClock();
  const ran: string[] = [];
  const inner = kubelet(ran, clock);
  const api = await startTestServer({ clock, nodeConnection: () => inner });
  const roles = '/apis/rbac.authorization.k8s.io/v1';
  for (const [name, verbs] of [
    ['reader', ['get', 'list', 'watch', 'update', 'patch', 'delete']],
    ['runner', ['get', 'create']],
  ] as const) {
    const rules = [{ apiGroups: [''], resources: ['nodes/proxy'], verbs }];
    await api.call('POST', `${roles}/clusterroles`, { metadata: { name }, rules });
    await api.call('POST', `${roles}/clusterrolebindings`, {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    });
  }
  const node = { name: 'system:node:n1', groups: ['system:nodes', ...GROUPS] };
  const client = createKubeClient(api.server.as(node), { clock });
  const access = createAccessControl({ client, clock, logger: silentLogger, nodeName: 'n1', digest: sha256Hex });
  const ways = [
    { name: 'its port', connection: guardConnection(inner, access), prefix: '' },
    { name: 'nodes/proxy', connection: api.server.connection, prefix: '/api/v1/nodes/n1/proxy' },
  ];
  return { api, ran, ways };
}

async function ask(
  connection: Connection,
  user: UserInfo | undefined,
  method: string,
  url: string,
  headers = {},
  isUpgrade = false,
): Promise<number> {
  const request = { method, url, headers, ...(user !== undefined && { user }) };
  if (!isUpgrade) {
    const response = await connection.request(request);
    await readAll(response.body, 1e6).then(decodeText);
    return response.status;
  }
  const answer = await connection.upgrade(request);
  if (answer.upgraded) answer.stream.destroy();
  return answer.upgraded ? 101 : answer.response.status;
}

/** Every way to send a path. */
const MANNERS = [
  { headers: {}, isUpgrade: false },
  // An ordinary request with the headers of an upgrade.
  { headers: WEBSOCKET, isUpgrade: false },
  { headers: WEBSOCKET, isUpgrade: true },
  { headers: SPDY, isUpgrade: true },
];

describe('the kubelet', () => {
  it('runs nothing for who may not create', async () => {
    const { api, ran, ways } = await world();
    for (const { name, connection, prefix } of ways) {
      for (const path of STREAMS) {
        for (const [at, spelling] of SPELLINGS.entries()) {
          if (inShort(at % 3 !== STREAMS.indexOf(path) % 3, false)) continue;
          const [plain = '', query = ''] = path.split('?');
          const url = `${prefix}${spelling(plain, at % 2)}?${query}`;
          for (const method of inShort(['GET', 'POST', 'PUT'], METHODS)) {
            for (const { headers, isUpgrade } of MANNERS) {
              const status = await ask(connection, READER, method, url, headers, isUpgrade);
              expect([status < 600 && status !== 101, ran], `${name}: ${method} ${url} ${status}`).toEqual([true, []]);
              expect(await ask(connection, STRANGER, method, url, headers, isUpgrade), url).toBe(401);
              expect(ran).toEqual([]);
            }
          }
        }
      }
    }
    await api.close();
  });

  it('runs it for who may', async () => {
    const { api, ran, ways } = await world();
    for (const { connection, prefix } of ways) {
      expect(await ask(connection, RUNNER, 'POST', `${prefix}/run/ns/p/app?cmd=id`)).toBe(200);
      await ask(connection, RUNNER, 'GET', `${prefix}/exec/ns/p/app?command=id&output=1`, SPDY, true);
      await ask(connection, RUNNER, 'POST', `${prefix}/attach/ns/p/app?output=1`, SPDY, true);
      expect(await ask(connection, READER, 'GET', `${prefix}/pods`)).toBe(200);
      expect(await ask(connection, READER, 'GET', `${prefix}/containerLogs/ns/p/app`)).toBe(200);
    }
    expect(ran).toEqual(['run', 'exec', 'attach', 'run', 'exec', 'attach']);
    await api.close();
  });

  it('tells a stranger nothing, not even that it is well', async () => {
    const { api, ways } = await world();
    for (const { connection, prefix } of ways) {
      for (const path of [...READS, ...STREAMS]) {
        for (const method of METHODS) {
          for (const user of [STRANGER, undefined]) {
            for (const { headers, isUpgrade } of MANNERS) {
              expect(await ask(connection, user, method, `${prefix}${path}`, headers, isUpgrade), path).toBe(401);
            }
          }
        }
      }
    }
    await api.close();
  });
});
