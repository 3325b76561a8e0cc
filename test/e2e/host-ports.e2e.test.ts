/** Tests host ports on real containerd: who reaches them from where and under which address, who does not, and what heals. */
import { spawn } from 'node:child_process';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askHttp, overUdp, UdpFlow } from '../support/ask-port.ts';
import { OtherMachine } from '../support/other-machine.ts';
import { describeInWhole } from './extent.ts';
import { busyboxPod, Mendlet, run, until } from './harness.ts';

const mendlet = new Mendlet({ podNetwork: 225, flags: ['--service-cidr', '10.99.0.0/16'] });
const GATEWAY = '10.225.0.1';
const PLAIN_GATEWAY = '10.226.0.1';
const other = new OtherMachine('mndt-hp', '172.29.225');
const WEB = 18_080;
const BOUND = 18_081;
const UDP = 18_082;
const LOOPBACK = 18_083;
const MOVING = 18_084;
/** Each answer forks a process in the pod, and a gap is longer than this. */
const BETWEEN_QUESTIONS_MS = 20;

/** A web server that says its name, and its client's address at /cgi-bin/who. */
function server(name: string, ports: readonly object[], extra: { readonly spec?: object } = {}): object {
  const who = `#!/bin/sh\\necho\\necho $REMOTE_ADDR`;
  const script = `mkdir -p /www/cgi-bin; echo ${name} >/www/index.html; printf '${who}\\n' >/www/cgi-bin/who; chmod +x /www/cgi-bin/who; exec httpd -f -p 0.0.0.0:8080 -h /www`;
  // A pod that is ready serves.
  const readinessProbe = { tcpSocket: { port: 8080 }, periodSeconds: 1 };
  return busyboxPod(name, script, { ...extra, container: { ports, readinessProbe } });
}

async function untilReady(...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mendlet.untilPod(
      name,
      'ready',
      ({ status }) => status.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true,
    );
  }
}

async function untilSays(ask: () => Promise<string>, wanted: string | RegExp): Promise<void> {
  await until(`an answer like ${wanted}`, async () => {
    const said = await ask();
    return (typeof wanted === 'string' ? said === wanted : wanted.test(said)) ? { value: true } : { last: said };
  });
}

/** What a pod, or another machine, is told at the address. */
async function fromPod(pod: string, address: string, of = mendlet): Promise<string> {
  const wget = ['timeout', '5', 'wget', '-q', '-O', '-', `http://${address}`];
  const { code, stdout, stderr } = await of.tryKubectl(['exec', pod, '--', ...wget]);
  return code === 0 ? stdout.trim() : `failed: ${stderr.trim().split('\n')[0]}`;
}

async function fromBeyond(address: string): Promise<string> {
  const { code, stdout } = await other.run('curl', '-s', '-m', '5', `http://${address}`);
  return code === 0 ? stdout.trim() : `failed: curl ${code}`;
}

const fromHost = (address: string): Promise<string> => askHttp(`http://${address}`);

/** The addresses of clients, as the pod behind the host port sees them. */
const seenAs = (gateway: string) => ({
  'the host by 127.0.0.1': gateway,
  'the host by an address of the node': other.host,
  'another machine': other.address,
  'another pod': gateway,
  'another pod by its gateway': gateway,
  'the pod itself': gateway,
});

async function whoIsSeen(of: Mendlet, pod: string, port: number): Promise<ReturnType<typeof seenAs>> {
  const who = `${port}/cgi-bin/who`;
  const gateway = of === mendlet ? GATEWAY : PLAIN_GATEWAY;
  return {
    'the host by 127.0.0.1': await fromHost(`127.0.0.1:${who}`),
    'the host by an address of the node': await fromHost(`${other.host}:${who}`),
    'another machine': await fromBeyond(`${other.host}:${who}`),
    'another pod': await fromPod('client', `${other.host}:${who}`, of),
    'another pod by its gateway': await fromPod('client', `${gateway}:${who}`, of),
    'the pod itself': await fromPod(pod, `${other.host}:${who}`, of),
  };
}

const ipOf = async (name: string): Promise<string> => (await mendlet.pod(name)).status.podIP ?? '';
const instance = (): string => readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
const tableOf = (): string => `mendlet-${instance()}-pods`;

/** A process of the pod's main container, for its network namespace. */
async function pidOf(name: string): Promise<string> {
  const id = (await mendlet.pod(name)).status.containerStatuses?.[0]?.containerID?.replace(/^.*:\/\//, '') ?? '';
  const found = (await run('pgrep', ['-f', `containerd-shim.*`])).stdout;
  const all = (await run('sh', ['-c', `grep -l ${id} /proc/[0-9]*/cgroup 2>/dev/null`])).stdout;
  const pid = /\/proc\/(\d+)\//.exec(all)?.[1];
  if (pid === undefined) throw new Error(`no process of ${name} (${id}); shims: ${found}`);
  return pid;
}

/** A UDP server in the network of a pod, which says `name` and its client's address. @returns a function that ends it */
async function serveUdp(pod: string, port: number, name = pod): Promise<() => void> {
  const code = `const s = require('dgram').createSocket('udp4');
s.on('message', (_, from) => s.send('${name} ' + from.address, from.port, from.address));
s.bind(${port}, '0.0.0.0', () => console.log('bound'));`;
  return until<() => void>(`a UDP server in the network of ${pod}`, async () => {
    // The process may be of an answer, and end before its network is entered.
    const child = spawn('nsenter', ['-t', await pidOf(pod), '-n', process.execPath, '-e', code], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [bound, ended] = [once(child.stdout, 'data'), once(child, 'exit')];
    const isBound = await Promise.race([bound.then(() => true), ended.then(() => false)]);
    return isBound ? { value: () => void child.kill('SIGKILL') } : { last: 'its process had ended' };
  });
}

beforeAll(async () => {
  await other.make();
  await mendlet.up();
  await mendlet.create(
    server('web', [
      { containerPort: 8080, hostPort: WEB },
      { containerPort: 5353, hostPort: UDP, protocol: 'UDP' },
      { containerPort: 8080, hostPort: LOOPBACK, hostIP: '127.0.0.1' },
    ]),
    server('first', [{ containerPort: 8080, hostPort: BOUND, hostIP: other.host }]),
    server('second', [{ containerPort: 8080, hostPort: BOUND, hostIP: other.secondHost }]),
    server('client', []),
  );
  await untilReady('web', 'first', 'second', 'client');
});
afterAll(async () => {
  await mendlet.down();
  await other.remove();
});

describe('a host port', () => {
  it('is there as soon as its pod is ready, and no chain of portmap with it', async () => {
    expect(await fromHost(`127.0.0.1:${WEB}/`)).toBe('web');
    const { stdout } = await run('iptables', ['-w', '-t', 'nat', '-S']);
    expect(stdout.split('\n').filter((line) => line.includes(`--dport ${WEB} `))).toEqual([]);
  });

  it('is reached from everywhere, and sees the address of whoever can be answered at it', async () => {
    expect(await whoIsSeen(mendlet, 'web', WEB)).toEqual(seenAs(GATEWAY));
  });

  it('of one address of the node is another’s at another address', async () => {
    expect(await fromBeyond(`${other.host}:${BOUND}/`)).toBe('first');
    expect(await fromBeyond(`${other.secondHost}:${BOUND}/`)).toBe('second');
    expect(await fromPod('client', `${other.secondHost}:${BOUND}/`)).toBe('second');
    expect(await fromHost(`127.0.0.1:${BOUND}/`)).toBe('failed: ECONNREFUSED');
  });

  it('of 127.0.0.1 is for the host alone', async () => {
    expect(await fromHost(`127.0.0.1:${LOOPBACK}/`)).toBe('web');
    expect(await fromBeyond(`${other.host}:${LOOPBACK}/`)).toMatch(/^failed/);
    expect(await fromPod('client', `${GATEWAY}:${LOOPBACK}/`)).toMatch(/^failed/);
  });

  it('serves UDP, from the host and from beyond', async () => {
    const end = await serveUdp('web', 5353);
    try {
      expect(await overUdp('127.0.0.1', UDP)).toBe(`web ${GATEWAY}`);
      expect(await overUdp(other.host, UDP)).toBe(`web ${other.host}`);
      const code = `const s = require('dgram').createSocket('udp4'); s.on('message', (m) => { console.log(String(m)); s.close(); }); s.send('hello', ${UDP}, '${other.host}')`;
      expect((await other.run('timeout', '5', process.execPath, '-e', code)).stdout.trim()).toBe(
        `web ${other.address}`,
      );
    } finally {
      end();
    }
  });
});

describe('what comes to 127.0.0.0/8 from elsewhere is dropped', () => {
  /** In a namespace, packets to 127.0.0.1 go out by its link; the last word says by which. */
  const misroute = (gateway: string): string =>
    `ip route del local 127.0.0.0/8 dev lo table local; ip route del local 127.0.0.1 dev lo table local; ip route replace 127.0.0.1 via ${gateway}; ip route get 127.0.0.1 | grep -o eth0`;
  /** The bridge has `route_localnet`, so that only our rule keeps packets of pods from processes that trust the machine. */
  it.each(['pod', 'machine'] as const)('from another %s', async (where) => {
    const trusting = createSocket('udp4');
    const received: string[] = [];
    trusting.on('message', (message) => received.push(message.toString()));
    trusting.bind(0, '127.0.0.1');
    await once(trusting, 'listening');
    const { port } = trusting.address();
    const code = (from: string): string =>
      `const s = require('dgram').createSocket('udp4'); for (const port of [${port}, ${port}, ${UDP}]) s.send('${from}', port, '127.0.0.1'); setTimeout(() => s.close(), 200)`;
    const end = await serveUdp('web', 5353);
    try {
      const pid = await pidOf('second');
      const [gateway, enter] =
        where === 'pod'
          ? [GATEWAY, (...command: string[]) => run('nsenter', ['-t', pid, '-n', ...command])]
          : [other.host, (...command: string[]) => other.run(command[0] ?? '', ...command.slice(1))];
      expect((await enter('sh', '-c', misroute(gateway))).stdout.trim()).toBe('eth0');
      expect((await enter(process.execPath, '-e', code(where))).code).toBe(0);
      // What the host itself sends later comes.
      expect((await run(process.execPath, ['-e', code('host')])).code).toBe(0);
      await until('the messages of the host', async () =>
        received.filter((each) => each === 'host').length === 2 ? { value: true } : { last: received.join() },
      );
      expect(received).toEqual(['host', 'host']);
    } finally {
      end();
      trusting.close();
    }
  });
});

describe('healing', () => {
  it('leads to the next pod, whose flows of UDP are not the former one’s', async () => {
    const ports = [
      { containerPort: 8080, hostPort: MOVING },
      { containerPort: 5353, hostPort: MOVING, protocol: 'UDP' },
    ];
    const flow = new UdpFlow('127.0.0.1', MOVING);
    // It begins before the port is anybody's.
    expect(await flow.ask()).toMatch(/^failed/);
    const names = ['old', 'new'];
    for (const name of names) {
      await mendlet.create(server(name, ports));
      await untilReady(name);
      expect(await fromHost(`127.0.0.1:${MOVING}/`)).toBe(name);
      const end = await serveUdp(name, 5353);
      await untilSays(() => flow.ask(), `${name} ${GATEWAY}`);
      end();
      await mendlet.kubectl(['delete', 'pod', name]);
      expect(await fromHost(`127.0.0.1:${MOVING}/`)).toBe('failed: ECONNREFUSED');
    }
    flow.close();
  });

  it('stays with a container that restarts', async () => {
    const before = await ipOf('web');
    await run('kill', ['-KILL', await pidOf('web')]);
    await mendlet.untilPod('web', 'restarted', (pod) => (pod.status.containerStatuses?.[0]?.restartCount ?? 0) > 0);
    await untilReady('web');
    expect([await ipOf('web'), await fromHost(`127.0.0.1:${WEB}/`)]).toEqual([before, 'web']);
  });

  it('brings back what somebody removed, and says so', async () => {
    const ask = (): Promise<string> => fromBeyond(`${other.host}:${WEB}/`);
    const events = (): Promise<string> =>
      mendlet.kubectl(['get', 'events', '-A', '-o', 'jsonpath={.items[*].message}']);
    await run('nft', ['delete', 'table', 'ip', tableOf()]);
    await untilSays(ask, 'web');
    await untilSays(events, new RegExp(`are back: table ${tableOf()}`));
    await run('nft', ['flush', 'chain', 'ip', tableOf(), 'ports-prerouting']);
    await untilSays(ask, 'web');
    await untilSays(events, /are back: ports-prerouting/);
    await run('nft', ['flush', 'chain', 'ip', tableOf(), 'leave-postrouting']);
    await untilSays(
      async () => (await run('nft', ['list', 'table', 'ip', tableOf()])).stdout,
      /peer-networks masquerade/,
    );
  });

  it('serves while the agent is killed and begins again, with and without a service proxy', async () => {
    const said: string[] = [];
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) {
        said.push(await fromHost(`127.0.0.1:${WEB}/`));
        await sleep(BETWEEN_QUESTIONS_MS);
      }
    })();
    await mendlet.end('SIGKILL');
    await mendlet.up();
    await mendlet.end('SIGTERM');
    await mendlet.up(['--service-proxy', 'off', '--cluster-dns', 'off']);
    // Beyond the moment at which host ports of unknown pods end.
    await mendlet.create(server('late', [{ containerPort: 8080, hostPort: MOVING }]));
    await untilReady('late');
    await new Promise((done) => setTimeout(done, 3000));
    over.abort();
    await asking;
    expect({ failed: said.filter((each) => each !== 'web'), enough: said.length > 50 }).toEqual({
      failed: [],
      enough: true,
    });
    expect(await fromHost(`127.0.0.1:${MOVING}/`)).toBe('late');
    await run('nft', ['delete', 'table', 'ip', tableOf()]);
    await untilSays(() => fromBeyond(`${other.host}:${MOVING}/`), 'late');
  });
});

it('leaves no table', async () => {
  const table = tableOf();
  await mendlet.end('SIGTERM');
  await mendlet.command('down');
  expect((await run('nft', ['list', 'table', 'ip', table])).code).not.toBe(0);
});

// The way of machines that have no nftables: a mendlet of its own, started twice.
describeInWhole('without nftables', () => {
  const bin = join(mendlet.folder, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'nft'), '#!/bin/sh\necho "Operation not supported" >&2\nexit 1\n');
  chmodSync(join(bin, 'nft'), 0o755);
  const plain = new Mendlet({ podNetwork: 226, flags: ['--service-cidr', '10.100.0.0/16'], containerdFolder: bin });
  const PLAIN = 18_085;
  afterAll(() => plain.down());

  it('portmap makes host ports, and an event says so', async () => {
    await plain.up();
    await plain.create(server('plain', [{ containerPort: 8080, hostPort: PLAIN }]), server('client', []));
    await untilSays(() => fromHost(`127.0.0.1:${PLAIN}/`), 'plain');
    await plain.untilPod('client', 'running', ({ status }) => status.phase === 'Running');
    // What our own rules are measured by.
    expect(await whoIsSeen(plain, 'plain', PLAIN)).toEqual(seenAs(PLAIN_GATEWAY));
    await untilSays(
      () => plain.kubectl(['get', 'events', '-A', '-o', 'jsonpath={.items[*].reason}']),
      /HostPortsByPortmap/,
    );
  });

  it('which gives way to our table as soon as it can', async () => {
    await plain.end('SIGTERM');
    writeFileSync(join(bin, 'nft'), '#!/bin/sh\nexec /usr/sbin/nft "$@"\n');
    const said: string[] = [];
    const over = new AbortController();
    const asking = (async () => {
      while (!over.signal.aborted) {
        said.push(await fromHost(`127.0.0.1:${PLAIN}/`));
        await sleep(BETWEEN_QUESTIONS_MS);
      }
    })();
    await plain.up();
    await untilSays(
      async () => ((await run('nft', ['list', 'tables'])).stdout.includes('-pods') ? 'there' : 'missing'),
      'there',
    );
    await new Promise((done) => setTimeout(done, 3000));
    const count = (): Promise<string> =>
      run('iptables', ['-w', '-t', 'nat', '-S']).then(({ stdout }) => (stdout.includes(`${PLAIN} `) ? 'left' : 'none'));
    expect(await count()).toBe('left');
    over.abort();
    await asking;
    expect(said.filter((each) => each !== 'plain')).toEqual([]);
    await plain.kubectl(['delete', 'pod', 'plain']);
    expect([await fromHost(`127.0.0.1:${PLAIN}/`), await count()]).toEqual(['failed: ECONNREFUSED', 'none']);
  });
});
