import type { ImageOptions } from './image.ts';
import { describe, expect, it } from 'vitest';
import {
  type AgentFlags,
  type DashboardFlags,
  type DownFlags,
  type ExitCode,
  type HealerOptions,
  runCommandLine,
  type ServerFlags,
  type StoreOptions,
  type TokenOptions,
  type UpFlags,
} from './index.ts';

const TOKEN = `abcdef.0123456789abcdef@sha256:${'0a'.repeat(32)}`;

async function call(...args: string[]) {
  const said = { out: '', err: '' };
  const calls: {
    up?: UpFlags;
    down?: DownFlags;
    dashboard?: DashboardFlags;
    server?: ServerFlags;
    agent?: AgentFlags;
    image?: ImageOptions;
    store?: StoreOptions;
    token?: TokenOptions;
    healer?: HealerOptions;
  } = {};
  const code = await runCommandLine(args, {
    versions: { mendlet: '1.2.3', kubernetes: 'v1.36.0+mendlet.1.2.3', node: '24.15.0' },
    verbs: {
      up: async (options): Promise<ExitCode> => {
        calls.up = options;
        return 3;
      },
      down: async (options): Promise<ExitCode> => {
        calls.down = options;
        return 0;
      },
      dashboard: async (options): Promise<ExitCode> => {
        calls.dashboard = options;
        return 0;
      },
      server: async (options): Promise<ExitCode> => {
        calls.server = options;
        return 0;
      },
      agent: async (options): Promise<ExitCode> => {
        calls.agent = options;
        return 0;
      },
      store: async (options): Promise<ExitCode> => {
        calls.store = options;
        return 0;
      },
      token: async (options): Promise<ExitCode> => {
        calls.token = options;
        return 0;
      },
      image: async (options): Promise<ExitCode> => {
        calls.image = options;
        return 0;
      },
      healer: async (options): Promise<ExitCode> => {
        calls.healer = options;
        return 0;
      },
    },
    withCluster: async (): Promise<ExitCode> => 0,
    out: (text) => {
      said.out += text;
    },
    err: (text) => {
      said.err += text;
    },
  });
  return { code, calls, ...said };
}

describe('runCommandLine', () => {
  it('gives up its defaults and returns its exit code', async () => {
    const { code, calls, out, err } = await call('up');
    expect({ code, out, err }).toEqual({ code: 3, out: '', err: '' });
    expect(calls.up).toEqual({
      filename: [],
      demo: false,
      runtime: { kind: 'auto' },
      imageArchive: [],
      logFormat: 'text',
      runtimeEvents: true,
    });
  });

  it('leaves load balancers to another controller', async () => {
    const { calls } = await call('server', '--load-balancer-controller=false');
    expect(calls.server).toMatchObject({ loadBalancerController: false });
    const volumes = await call('server', '--local-volume-class', 'disks', '--local-volumes', 'true');
    expect(volumes.calls.server).toMatchObject({ localVolumes: true, localVolumeClass: 'disks' });
  });

  it('forces no volume from a silent node when told so', async () => {
    const { calls } = await call('server', '--disable-force-detach-on-timeout', 'true');
    expect(calls.server).toMatchObject({ disableForceDetachOnTimeout: true });
  });

  it('runs the healing controllers here or apart', async () => {
    expect((await call('up', '--healing-controller=false')).calls.up).toMatchObject({ healingController: false });
    expect((await call('server')).calls.server?.healingController).toBeUndefined();
    expect((await call('healer')).calls.healer).toEqual({
      listen: { host: '127.0.0.1', port: 10_261 },
      leaderElect: true,
      localVolumes: false,
      localVolumeClass: 'mendlet-local',
      logFormat: 'text',
    });
    const volumes = ['--local-volumes', '--local-volume-class', 'folders', '--kubelet-authority', 'ca.pem'];
    expect((await call('healer', ...volumes)).calls.healer).toMatchObject({
      localVolumes: true,
      localVolumeClass: 'folders',
      kubeletAuthority: 'ca.pem',
    });
    expect((await call('healer', '--local-volume-class', 'A')).err).toContain('not a name of a StorageClass');
    const { calls } = await call('healer', '--kubeconfig', 'x', '--listen', '0.0.0.0:1', '--leader-elect=false');
    expect(calls.healer).toMatchObject({ kubeconfig: 'x', listen: { host: '0.0.0.0', port: 1 }, leaderElect: false });
    expect((await call('healer', '--leader-elect', 'perhaps')).err).toContain('Give true or false.');
  });

  it('takes the mode of PLEG and its period', async () => {
    const { calls } = await call('up', '--pleg', 'evented', '--pleg-relist-period', '5m');
    expect(calls.up).toMatchObject({ pleg: 'evented', plegRelistPeriod: 300_000 });
  });

  it('takes whether the node answers DNS', async () => {
    expect((await call('up', '--cluster-dns', 'off')).calls.up).toMatchObject({ clusterDns: 'off' });
    expect((await call('up')).calls.up).not.toHaveProperty('clusterDns');
  });

  it('collects repeated flags in order', async () => {
    const { calls } = await call('up', '-f', 'a.yaml', '-f', '-', '--image-archive', 'x', '--image-archive', 'y');
    expect(calls.up).toMatchObject({ filename: ['a.yaml', '-'], imageArchive: ['x', 'y'] });
  });

  it.each([
    [['up', '--lisen', ':1'], '--listen'],
    [['up', '--listen', 'x'], "'--listen <HOST:PORT>' argument 'x' is invalid. Give HOST:PORT"],
    [['up', '--pod-cidr', '10.0.0.1/8'], 'the network is 10.0.0.0/8'],
    [['up', '--node-name', 'A'], 'node name'],
    [['up', '--runtime', 'docker'], 'unix:///PATH'],
    [['up', '--log-format', 'xml'], 'text, json'],
    [['up', '--cluster-dns', 'auto'], 'on, off'],
    [['up', '--pleg', 'magic'], 'auto, generic, evented'],
    [['up', '--pleg-relist-period', '10'], 'for instance 10s'],
    [['up', '--pleg', 'generic', '--pleg-relist-period', '10s'], 'goes with events'],
    [['up', '--pleg', 'evented', '--no-runtime-events'], 'leave out --no-runtime-events'],
    [['up', '--demo', '--data-dir', '/x'], 'leave out --data-dir'],
    [['up', '--demo', '-f', 'x'], 'leave out -f'],
    [['up', '--demo-seconds', '3'], 'goes with --demo'],
    [['up', '-f', '-', '-f', '-'], 'only once'],
    [['up', 'extra'], 'too many arguments'],
    [['upp'], 'up'],
    [['down', '--prge'], '--purge'],
    [['servr'], 'server'],
    [['server', '--node-cidr-mask-size', '15'], 'more than all of 10.244.0.0/16'],
    [['server', '--cluster-cidr', '11.0.0.0/8', '--node-cidr-mask-size', '25'], '16 more'],
    [['server', '--advertise-address', '127.0.0.1'], 'cannot reach'],
    [['server', '--token', 'abc'], 'is invalid. A token is ID.SECRET, with six'],
    [
      ['server', '--service-cidr', '10.244.16.0/20'],
      '--service-cidr 10.244.16.0/20 overlaps --cluster-cidr 10.244.0.0/16',
    ],
    [
      ['server', '--cluster-cidr', '10.0.0.0/8'],
      'the default --service-cidr 10.96.0.0/16 overlaps --cluster-cidr 10.0.0.0/8',
    ],
    [['up', '--pod-cidr', '10.96.0.0/12'], '--pod-cidr 10.96.0.0/12 overlaps the network of services, 10.96.0.0/16'],
    [['server', '--data-dir', ''], "'--data-dir <DIR>' argument '' is invalid. Give a folder."],
    [['up', '--data-dir', ''], 'Give a folder'],
    [['agent', '--data-dir', ''], 'Give a folder'],
    [['down', '--data-dir', ''], 'Give a folder'],
    [['token', 'list', '--data-dir', ''], 'Give a folder'],
    [['server', '--node-monitor-grace-period', '5'], 'is invalid. Give a length of time, for instance 40s or 5m.'],
    [['help', 'upp'], "unknown command 'upp'"],
    [['agent', '--token', TOKEN], 'goes with --server'],
    [['agent', '--server', 'https://h:1', '--token', TOKEN.slice(0, 23)], '--ca FILE or --ca-hash'],
    [['agent', '--server', 'http://h:1'], 'https://192.0.2.1:6443'],
    [['agent', '--server', 'https://h:1/x'], 'no path'],
    [['agent', '--kubeconfig', 'k', '--server', 'https://h'], 'leave out --server'],
    [['agent', '--ca', 'x'], 'go with --token'],
    [['agent', '--node-labels', 'a=b=c'], 'not a label'],
    [['agent', '--node-labels', 'a'], 'not a label'],
    [['agent', '--node-labels', 'node-role.kubernetes.io/worker='], 'may not give itself the label'],
    [['agent', '--register-with-taints', 'a=b:Never'], 'not a taint'],
    [['agent', '--register-with-taints', 'a=b:NoExecute,a=c:NoExecute'], 'a:NoExecute is given twice'],
    [['agent', '--node-ip', '0.0.0.0'], 'cannot reach'],
    [['token', 'create', '--ttl', 'soon'], 'length of time'],
    [['token', 'delete', 'x'], 'not the id'],
    [['token', 'delete'], 'missing required argument'],
  ])('refuses %j with one message and exit code 2', async (args, message) => {
    const { code, calls, out, err } = await call(...args);
    expect(err).toContain(message);
    expect({ code, calls, out }).toEqual({ code: 2, calls: {}, out: '' });
  });

  it.each([
    [['--help'], 'Exit codes'],
    [['up', '--help'], 'Examples'],
    [['help', 'up'], '--pod-cidr'],
    [['down', '-h'], '--purge'],
    [['server', '--help'], '--cluster-cidr'],
    [['agent', '--help'], '--register-with-taints'],
    [['token', '--help'], 'create'],
    [['token', 'create', '--help'], '--ttl'],
    [['restart', '--help'], 'Usage: mendlet restart [options] [TARGET...]'],
    [['version', '--help'], 'versions'],
    [['--version'], 'mendlet 1.2.3'],
    [['version'], 'mendlet 1.2.3\nkubernetes v1.36.0+mendlet.1.2.3\nnode 24.15.0\n'],
  ])('answers %j on standard output', async (args, text) => {
    const { code, out, err } = await call(...args);
    expect(out).toContain(text);
    expect({ code, err }).toEqual({ code: 0, err: '' });
  });

  it('gives server its defaults', async () => {
    const { calls } = await call('server');
    expect(calls.server).toMatchObject({
      listen: { host: '0.0.0.0', port: 6443 },
      clusterCidr: { text: '10.244.0.0/16' },
      nodeCidrMaskSize: 24,
      logFormat: 'text',
    });
  });

  it('gives agent what it needs to join', async () => {
    const joins = ['agent', '--server', 'h', '--token', TOKEN, '--node-ip', '192.0.2.7'];
    const labels = ['--node-labels', 'a=b,topology.kubernetes.io/zone=z,c='];
    const { calls } = await call(...joins, ...labels, '--register-with-taints', 'x:NoExecute,y=1:NoSchedule');
    expect(calls.agent).toMatchObject({
      server: 'https://h:6443',
      token: { id: 'abcdef', secret: '0123456789abcdef', authorityHash: `sha256:${'0a'.repeat(32)}` },
      nodeLabels: { a: 'b', 'topology.kubernetes.io/zone': 'z', c: '' },
      registerWithTaints: [
        { key: 'x', effect: 'NoExecute' },
        { key: 'y', value: '1', effect: 'NoSchedule' },
      ],
      nodeIp: '192.0.2.7',
      imageArchive: [],
      runtimeEvents: true,
    });
  });

  it.each([
    [['create'], { verb: 'create', ttl: 86_400_000 }],
    [['create', '--ttl', '0'], { verb: 'create', ttl: 0 }],
    [['list', '--data-dir', '/x'], { verb: 'list', dataDir: '/x' }],
    [['delete', 'abcdef', TOKEN], { verb: 'delete', ids: ['abcdef', 'abcdef'] }],
  ])('gives token %j', async (args, options) => {
    const { calls } = await call('token', ...args);
    expect(calls.token).toEqual(options);
  });

  it('prints the help on standard error when there is no verb', async () => {
    const { code, out, err } = await call();
    expect(err).toContain('Commands:');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  });
});
