/** Tests the routing of services on real containerd: who is reached at their addresses, who is not, and what heals. */
import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { busyboxPod, Mendlet, run, until } from './harness.ts';
import { itInWhole } from './extent.ts';
import { freeServiceNetwork } from './service-network.ts';

const network = freeServiceNetwork(97, 81, 82);
const later = freeServiceNetwork(83, 84, 85);
const mendlet = new Mendlet({ podNetwork: 223, flags: ['--service-cidr', `${network}.0.0/16`] });

interface ServicePort {
  readonly port: number;
  readonly protocol?: string;
  readonly name?: string;
  readonly targetPort?: number;
}

interface Made {
  readonly spec: { readonly clusterIP: string; readonly ports: readonly { readonly nodePort?: number }[] };
}

/** A web server that says its name. */
function server(
  name: string,
  app: string,
  extra: { readonly spec?: object; readonly container?: object } = {},
): object {
  const script = `mkdir -p /www; echo ${name} > /www/index.html; exec httpd -f -p 8080 -h /www`;
  return busyboxPod(name, script, { ...extra, metadata: { labels: { app } } });
}

async function service(
  name: string,
  spec: object,
  ports: readonly ServicePort[] = [{ port: 80, targetPort: 8080 }],
): Promise<Made> {
  await mendlet.create({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { ports, ...spec } });
  return await mendlet.read<Made>(`services/${name}`);
}

/** What a pod is told at the address; '': nothing within two seconds. */
async function fromPod(pod: string, address: string): Promise<string> {
  const result = await mendlet.tryKubectl([
    'exec',
    pod,
    '--',
    'timeout',
    '3',
    'wget',
    '-q',
    '-O',
    '-',
    `http://${address}/`,
  ]);
  return result.code === 0 ? result.stdout.trim() : `failed: ${result.stderr.trim().split('\n')[0]}`;
}

/** The same from the host, and how long it took. */
async function fromHost(
  host: string,
  port: number,
  patienceMs = 3000,
): Promise<{ readonly said: string; readonly ms: number }> {
  const begun = performance.now();
  const said = await new Promise<string>((done) => {
    let text = '';
    const socket = connect({ host, port, timeout: patienceMs }, () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('timeout', () => socket.destroy(new Error('timeout')));
    socket.on('error', (error: NodeJS.ErrnoException) => done(`failed: ${error.code ?? error.message}`));
    socket.on('end', () => done(text.split('\r\n\r\n')[1]?.trim() ?? ''));
  });
  return { said, ms: performance.now() - begun };
}

async function overUdp(host: string, port: number): Promise<string> {
  const socket = createSocket('udp4');
  try {
    return await new Promise<string>((done) => {
      const timer = setTimeout(() => done('failed: timeout'), 2000);
      socket.on('message', (message) => {
        clearTimeout(timer);
        done(message.toString().trim());
      });
      socket.on('error', (error) => done(`failed: ${error.message}`));
      socket.connect(port, host, () => socket.send('hello'));
    });
  } finally {
    socket.close();
  }
}

const NODE_ADDRESS = 'jsonpath={.items[0].status.addresses[?(@.type=="InternalIP")].address}';

async function serviceRoutes(): Promise<string> {
  return (await run('ip', ['-4', 'route', 'show', 'proto', '119'])).stdout;
}

async function untilSays(ask: () => Promise<string>, wanted: string | RegExp): Promise<void> {
  await until<string>(`an answer like ${wanted}`, async () => {
    const said = await ask();
    const fits = typeof wanted === 'string' ? said === wanted : wanted.test(said);
    return fits ? { value: said } : { last: said };
  });
}

beforeAll(async () => {
  await mendlet.up();
  await mendlet.create(server('one', 'web'), server('two', 'web'), server('client', 'client'));
  for (const name of ['one', 'two', 'client']) {
    await mendlet.untilPod(
      name,
      'ready',
      (pod) => pod.status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true,
    );
  }
});
afterAll(() => mendlet.down());

describe('a cluster IP', () => {
  let ip = '';
  beforeAll(async () => {
    ip = (await service('web', { selector: { app: 'web' } })).spec.clusterIP;
    await untilSays(() => fromPod('client', ip), /one|two/);
  });

  it('reaches every endpoint, from a pod and from the host', async () => {
    const said = new Set<string>();
    for (let at = 0; at < 60 && said.size < 2; at++) said.add((await fromHost(ip, 80)).said);
    expect([...said].toSorted()).toEqual(['one', 'two']);
    expect(await fromPod('client', ip)).toMatch(/^(one|two)$/);
  });

  it('reaches the pod that asks, too', async () => {
    const said = new Set<string>();
    for (let at = 0; at < 60 && said.size < 2; at++) said.add(await fromPod('one', ip));
    expect([...said].toSorted()).toEqual(['one', 'two']);
  });

  it('refuses other ports at once', async () => {
    expect((await fromHost(ip, 81)).said).toBe('failed: ECONNREFUSED');
    expect(await fromPod('client', `${ip}:81`)).toMatch(/refused/);
  });
});

const GATEWAY = '10.223.0.1';

/** Endpoints by hand: servers of this test on the bridge's address. */
async function slice(name: string, of: string, endpoint: object, ports: readonly object[]): Promise<void> {
  await mendlet.create({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name, labels: { 'kubernetes.io/service-name': of } },
    addressType: 'IPv4',
    endpoints: [{ addresses: [GATEWAY], ...endpoint }],
    ports,
  });
}

/** Servers on the host that say their names, over UDP and TCP at one port. @returns the port */
async function echo(name: string): Promise<{ readonly port: number; close(): void }> {
  const tcp = createServer((socket) => socket.end(`HTTP/1.0 200 OK\r\n\r\n${name}`).on('error', () => {}));
  await once(tcp.listen(0, GATEWAY), 'listening');
  const address = tcp.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const udp = createSocket('udp4');
  udp.on('message', (_, from) => udp.send(name, from.port, from.address));
  await new Promise<void>((done) => udp.bind(port, GATEWAY, done));
  return {
    port,
    close: () => {
      tcp.close();
      udp.close();
    },
  };
}

it('a service of UDP and TCP at one port, by hand: each lives on without the other, and UDP flows change over', async () => {
  const [a, b] = [await echo('a'), await echo('b')];
  const ports = [
    { name: 't', port: 7, protocol: 'TCP' },
    { name: 'u', port: 7, protocol: 'UDP' },
  ];
  const { spec } = await service('both', {}, ports);
  await slice('both-t', 'both', {}, [{ name: 't', port: a.port, protocol: 'TCP' }]);
  await slice('both-u', 'both', {}, [{ name: 'u', port: a.port, protocol: 'UDP' }]);
  await untilSays(async () => (await fromHost(spec.clusterIP, 7)).said, 'a');
  await untilSays(() => overUdp(spec.clusterIP, 7), 'a');
  // One socket, one flow: it must not stick to the endpoint that is gone.
  const flow = createSocket('udp4');
  let heard = '';
  flow.on('message', (message) => (heard = message.toString()));
  flow.on('error', () => {});
  await new Promise<void>((done) => flow.connect(7, spec.clusterIP, done));
  const ask = async (): Promise<string> => {
    flow.send('hello', () => {});
    await new Promise((done) => setTimeout(done, 100));
    return heard;
  };
  await untilSays(ask, 'a');
  await mendlet.kubectl([
    'patch',
    'endpointslice',
    'both-u',
    '--type=merge',
    '-p',
    JSON.stringify({ ports: [{ name: 'u', port: b.port, protocol: 'UDP' }] }),
  ]);
  await untilSays(ask, 'b');
  flow.close();
  await mendlet.kubectl(['patch', 'service', 'both', '--type=json', '-p', '[{"op":"remove","path":"/spec/ports/1"}]']);
  await untilSays(
    async () => ((await overUdp(spec.clusterIP, 7)).startsWith('failed') ? 'failed' : 'answered'),
    'failed',
  );
  expect((await fromHost(spec.clusterIP, 7)).said).toBe('a');
  a.close();
  b.close();
});

it('refuses where there is no endpoint, and drops where the policy is Local and only other nodes have one', async () => {
  const none = (await service('none', {})).spec.clusterIP;
  await untilSays(async () => (await fromHost(none, 80)).said, 'failed: ECONNREFUSED');
  expect(await fromPod('client', none)).toMatch(/refused/);
  const local = (await service('local', { internalTrafficPolicy: 'Local' })).spec.clusterIP;
  await slice('local-1', 'local', { nodeName: 'elsewhere' }, [{ port: 8080, protocol: 'TCP' }]);
  await untilSays(async () => (await fromHost(local, 80)).said, 'failed: timeout');
});

it('never sends a packet to an address of services by the default route', async () => {
  expect((await run('ip', ['route', 'get', `${network}.200.200`])).stdout).toContain('dev lo');
  expect((await fromHost(`${network}.200.200`, 80)).said).toMatch(/failed/);
});

itInWhole('routes the services of a ServiceCIDR that comes later, until it is gone', async () => {
  const cidr = { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'later' } };
  await mendlet.create({ ...cidr, spec: { cidrs: [`${later}.7.0/24`] } });
  const isReady = async (): Promise<string> =>
    await mendlet.kubectl(['get', 'servicecidr', 'later', '-o', 'jsonpath={.status.conditions[0].status}']);
  await untilSays(isReady, 'True');
  await service('later', { selector: { app: 'web' }, clusterIP: `${later}.7.7` });
  await untilSays(async () => (await fromHost(`${later}.7.7`, 80)).said, /one|two/);
  expect(await fromPod('client', `${later}.7.7`)).toMatch(/one|two/);
  await untilSays(serviceRoutes, new RegExp(`${later}.7.0/24 dev lo`));
  expect((await fromHost(`${later}.7.99`, 80)).said).toMatch(/failed/);
  await mendlet.kubectl(['delete', 'service', 'later']);
  await mendlet.kubectl(['delete', 'servicecidr', 'later']);
  await untilSays(async () => ((await serviceRoutes()).includes(`${later}.7.`) ? 'there' : 'gone'), 'gone');
  expect(await serviceRoutes()).toContain(`${network}.0.0/16`);
});

describe('a node port', () => {
  let nodePort = 0;
  beforeAll(async () => {
    const made = await service('outside', { type: 'NodePort', selector: { app: 'web' } });
    nodePort = made.spec.ports[0]?.nodePort ?? 0;
    await untilSays(async () => (await fromHost(GATEWAY, nodePort)).said, /one|two/);
  });

  it('is there for pods, too', async () => {
    expect(await fromPod('client', `${GATEWAY}:${nodePort}`)).toMatch(/one|two/);
  });

  it('with affinity leads to one endpoint, and without it to all', async () => {
    const ask = async (): Promise<string> => (await fromHost(GATEWAY, nodePort)).said;
    await mendlet.kubectl(['patch', 'service', 'outside', '-p', '{"spec":{"sessionAffinity":"ClientIP"}}']);
    const last: string[] = [];
    await until<string>('fifteen same answers', async () => {
      last.push(await ask());
      const same = new Set(last.slice(-15)).size === 1 && last.length >= 15;
      return same ? { value: '' } : { last: last.join() };
    });
    await mendlet.kubectl(['patch', 'service', 'outside', '-p', '{"spec":{"sessionAffinity":"None"}}']);
    await until<string>('differing answers', async () => {
      const said = new Set([await ask(), await ask(), await ask(), await ask()]);
      return said.size === 2 ? { value: '' } : { last: [...said].join() };
    });
  });
});

it('a balancer’s address: source ranges, policy Local, and the health check port', async () => {
  const made = await service('balanced', {
    type: 'LoadBalancer',
    loadBalancerClass: 'example.com/none',
    selector: { app: 'web' },
    externalTrafficPolicy: 'Local',
    loadBalancerSourceRanges: ['203.0.113.0/24'],
  });
  const status = { status: { loadBalancer: { ingress: [{ ip: '198.51.100.9' }] } } };
  await mendlet.kubectl(['patch', 'service', 'balanced', '--subresource=status', '-p', JSON.stringify(status)]);
  const ask = async (): Promise<string> => (await fromHost('198.51.100.9', 80)).said;
  await untilSays(ask, 'failed: timeout');
  await mendlet.kubectl(['patch', 'service', 'balanced', '-p', '{"spec":{"loadBalancerSourceRanges":["0.0.0.0/0"]}}']);
  await untilSays(ask, /one|two/);
  const { healthCheckNodePort } = made.spec as { healthCheckNodePort?: number };
  const health = await fetch(`http://${GATEWAY}:${healthCheckNodePort}/healthz`);
  expect([health.status, health.headers.get('x-load-balancing-endpoint-weight'), await health.json()]).toEqual([
    200,
    '2',
    { service: { namespace: 'default', name: 'balanced' }, localEndpoints: 2, serviceProxyHealthy: true },
  ]);
});

it('never takes a port from a program of the machine, nor an address that is somebody’s', async () => {
  const program = createServer((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\nthe host itself'));
  program.listen(8097, '0.0.0.0');
  await once(program, 'listening');
  const [nodeIp = ''] = (await mendlet.kubectl(['get', 'nodes', '-o', NODE_ADDRESS])).split(' ');
  await service('taken', { type: 'LoadBalancer', selector: { app: 'web' } }, [{ port: 8097, targetPort: 8080 }]);
  await service('thief', { selector: { app: 'web' }, externalIPs: [nodeIp, '203.0.113.77'] }, [
    { port: 8097, targetPort: 8080 },
  ]);
  const events = (name: string): Promise<string> =>
    mendlet.kubectl([
      'get',
      'events',
      '--field-selector',
      `involvedObject.name=${name}`,
      '-o',
      'jsonpath={.items[*].reason}',
    ]);
  const ingress = (): Promise<string> =>
    mendlet.kubectl(['get', 'service', 'taken', '-o', 'jsonpath={.status.loadBalancer.ingress[*].ip}']);
  await untilSays(() => events('taken'), /LoadBalancerPortInUse/);
  await untilSays(ingress, '');
  await untilSays(() => events('thief'), /ExternalIPNotRouted/);
  await untilSays(async () => (await fromHost('203.0.113.77', 8097)).said, /one|two/);
  expect((await fromHost(nodeIp, 8097)).said).toBe('the host itself');
  expect(await fromPod('client', `${nodeIp}:8097`)).toBe('the host itself');
  program.close();
  await untilSays(ingress, nodeIp);
  await untilSays(async () => (await fromHost(nodeIp, 8097)).said, /one|two/);
  await mendlet.kubectl(['delete', 'service', 'taken', 'thief']);
});

describe('healing', () => {
  let ip = '';
  beforeAll(async () => {
    ip = (await mendlet.read<Made>('services/web')).spec.clusterIP;
  });

  it('brings back what somebody removed, and says so', async () => {
    const table = tableOf();
    await run('nft', ['delete', 'table', 'ip', table]);
    await untilSays(async () => (await fromHost(ip, 80)).said, /one|two/);
    await run('nft', ['flush', 'chain', 'ip', table, 'nat-output']);
    await untilSays(async () => (await fromHost(ip, 80)).said, /one|two/);
    // Conntrack takes a connection that begins now for one that nobody translates.
    await run('nft', ['delete', 'table', 'ip', table]);
    expect((await fromHost(ip, 80, 60_000)).said).toMatch(/one|two/);
    const chain = `MENDLET-FWD-${instance()}`;
    const isWhole = async (): Promise<string> => {
      const jump = await run('iptables', ['-w', '-C', 'FORWARD', '-j', chain]);
      const rules = await run('iptables', ['-w', '-S', chain]);
      return jump.code === 0 && rules.stdout.includes('-A') ? 'whole' : 'missing';
    };
    expect(await isWhole()).toBe('whole');
    await run('iptables', ['-w', '-D', 'FORWARD', '-j', chain]);
    await run('iptables', ['-w', '-F', chain]);
    await untilSays(isWhole, 'whole');
    await untilSays(
      () => mendlet.kubectl(['get', 'events', '-A', '-o', 'jsonpath={.items[*].reason}']),
      /PacketFilterRestored/,
    );
  });

  it('brings back the route of services that somebody removed, and says so', async () => {
    const removed = await run('ip', ['-4', 'route', 'delete', `${network}.0.0/16`, 'proto', '119']);
    expect(removed.code).toBe(0);
    await untilSays(serviceRoutes, new RegExp(`${network}.0.0/16 dev lo`));
    await untilSays(async () => (await fromHost(ip, 80)).said, /one|two/);
    await untilSays(
      () => mendlet.kubectl(['get', 'events', '-A', '-o', 'jsonpath={.items[*].reason}']),
      /ServiceRouteRestored/,
    );
  });

  it('resets connections to a pod that is gone', async () => {
    await mendlet.create(busyboxPod('silent', 'exec httpd -f -p 8099', { metadata: { labels: { app: 'silent' } } }));
    const silent = (await service('silent', { selector: { app: 'silent' } }, [{ port: 80, targetPort: 8099 }])).spec
      .clusterIP;
    const socket = await until('a connection', async () => {
      const made = connect({ host: silent, port: 80 });
      return await new Promise<{ value: typeof made } | { last: string }>((done) => {
        made.once('connect', () => done({ value: made }));
        made.once('error', (error) => done({ last: error.message }));
      });
    });
    const ended = once(socket, 'error');
    // The dying process would still close its connection: its pod is cut off before.
    const pid = (await run('pgrep', ['-f', 'httpd -f -p 8099'])).stdout.trim().split('\n')[0] ?? '';
    expect((await run('nsenter', ['-t', pid, '-n', 'ip', 'link', 'set', 'eth0', 'down'])).code).toBe(0);
    await mendlet.kubectl(['delete', 'pod', 'silent', '--force', '--grace-period=0']);
    const beat = setInterval(() => socket.write('still there?'), 100);
    const [error] = (await ended) as [NodeJS.ErrnoException];
    clearInterval(beat);
    expect(error.code).toMatch(/ECONNRESET|EPIPE/);
  });

  it('routes on while the agent is killed, and changes nothing that is right when it is back', async () => {
    await mendlet.end('SIGKILL');
    for (let at = 0; at < 20; at++) expect((await fromHost(ip, 80)).said).toMatch(/one|two/);
    const said: string[] = [];
    const back = mendlet.up().then(() => new Promise((done) => setTimeout(done, 2000)));
    const ended = new AbortController();
    void back.finally(() => ended.abort());
    while (!ended.signal.aborted) {
      said.push((await fromHost(ip, 80)).said);
      // Each answer forks a process in the pod, and a gap is longer than this.
      await sleep(20);
    }
    await back;
    const failed = said.filter((each) => !/one|two/.test(each));
    expect({ failed, enough: said.length > 20 }).toEqual({ failed: [], enough: true });
    expect(mendlet.log).toMatch(/services are routed.*kept/);
  });
});

it('leaves neither table nor route', async () => {
  const table = tableOf();
  await mendlet.end('SIGTERM');
  await mendlet.command('down');
  expect((await run('nft', ['list', 'table', 'ip', table])).code).not.toBe(0);
  expect((await run('ip', ['route', 'show', 'proto', '119'])).stdout).not.toContain(`${network}.0.0/16`);
});

function tableOf(): string {
  return `mendlet-${instance()}`;
}

function instance(): string {
  return readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
}
