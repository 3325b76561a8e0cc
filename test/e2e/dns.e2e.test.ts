/** Tests the cluster's DNS as programs use it: by name, from pods and from the host, while pods and the agent come and go. */
import { createSocket, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Resolver } from 'node:dns/promises';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nameBytes } from '../../src/network/dns/dns.fixtures.ts';
import { dnsLinkName } from '../../src/network/dns/dns-link.ts';
import { busyboxPod, Mendlet, mainContainer, muslLookup, outFolder, until } from './harness.ts';
import { inShort, itInWhole } from './extent.ts';

const NETWORK = 187;
const GATEWAY = `10.${NETWORK}.0.1`;
/** The node's own name server in this test; the address leads to this machine, and to nobody else. */
const UPSTREAM = '127.53.187.1';
const ready = { readinessProbe: { exec: { command: ['test', '!', '-e', '/unready'] }, periodSeconds: 1 } };

function service(name: string, spec: object): object {
  return { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec };
}

/** A name server that knows one name, and denies all else. */
class Upstream {
  readonly asked: string[] = [];
  readonly #socket: Socket = createSocket('udp4');
  readonly #address: string;
  readonly #known: string;

  constructor(address: string, known: string) {
    this.#address = address;
    this.#known = known;
  }

  async open(): Promise<void> {
    this.#socket.on('message', (packet, { address, port }) => {
      const end = packet.indexOf(0, 12) + 5;
      const name = packet
        .subarray(12, end - 5)
        .toString('latin1')
        .replace(/[^a-z0-9-]/gi, '.');
      this.asked.push(name);
      const known = packet.subarray(12, end - 4).equals(Buffer.from(nameBytes(this.#known)));
      const isA = packet.readUInt16BE(end - 4) === 1;
      const answer = known && isA ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 80] : [];
      const head = Buffer.from([0, 0, 0x81, known ? 0x80 : 0x83, 0, 1, 0, answer.length > 0 ? 1 : 0, 0, 0, 0, 0]);
      packet.copy(head, 0, 0, 2);
      this.#socket.send(Buffer.concat([head, packet.subarray(12, end), Buffer.from(answer)]), port, address);
    });
    await new Promise<void>((done, fail) => {
      this.#socket.on('error', fail);
      this.#socket.bind(53, this.#address, done);
    });
  }

  close(): void {
    this.#socket.close();
  }
}

describe('the cluster DNS', () => {
  const mendlet = new Mendlet({ podNetwork: NETWORK });
  const upstream = new Upstream(UPSTREAM, 'www.example.test');
  const settings = join(mendlet.folder, 'kubelet.yaml');
  const flags = ['--kubelet-config', settings];
  const resolver = new Resolver({ timeout: 2000, tries: 3 });
  resolver.setServers([GATEWAY]);

  /** Until the answer is this one; a denial is its code. */
  const untilAnswer = (name: string, type: string, wanted: (answer: string) => boolean): Promise<string> =>
    until<string>(`${type} of ${name}`, async () => {
      const answer = await ask(name, type);
      return wanted(answer) ? { value: answer } : { last: answer };
    });
  const ask = async (name: string, type: string): Promise<string> => {
    try {
      const answer: unknown = await resolver.resolve(name, type);
      return Array.isArray(answer)
        ? `[${answer
            .map((each) => JSON.stringify(each))
            .sort()
            .join(',')}]`
        : String(answer);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code ?? String(error);
    }
  };
  const inPod = (...command: string[]): Promise<string> => mendlet.kubectl(['exec', 'client', '--', ...command]);
  /** As glibc resolves it, search paths included; busybox' own nslookup fails if any of them does. */
  const inPodByGlibc = async (name: string): Promise<string> => {
    const { stdout, stderr } = await mendlet.tryKubectl(['exec', 'client', '--', 'ping', '-c', '1', '-W', '1', name]);
    return /\(([\d.]+)\)/.exec(stdout)?.[1] ?? `${stdout}${stderr}`;
  };
  const running = (name: string) => mendlet.untilPod(name, 'runs', (pod) => mainContainer(pod)?.ready === true);
  const ipOf = async (name: string): Promise<string> => (await running(name)).status.podIP!;

  afterAll(async () => {
    upstream.close();
    await mendlet.down();
  });

  beforeAll(async () => {
    await upstream.open();
    const resolvConf = join(mendlet.folder, 'resolv.conf');
    writeFileSync(resolvConf, `nameserver ${UPSTREAM}\n`);
    writeFileSync(
      settings,
      `apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\nresolvConf: ${resolvConf}\n`,
    );
    await mendlet.up(flags);
    await mendlet.create(
      service('web', { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 8080 }] }),
      service('db', { selector: { app: 'db' }, clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] }),
      service('outside', { type: 'ExternalName', externalName: 'www.example.test' }),
      service('inside', { type: 'ExternalName', externalName: 'kubernetes.default.svc.cluster.local' }),
      busyboxPod('client', 'exec sleep 36000', {
        spec: { volumes: [{ name: 'musl', hostPath: { path: muslLookup, type: 'File' } }] },
        container: { volumeMounts: [{ name: 'musl', mountPath: '/bin/musl-lookup', readOnly: true }] },
      }),
      ...[0, 1].map((at) =>
        busyboxPod(`db-${at}`, 'exec sleep 36000', {
          metadata: { labels: { app: 'db' } },
          spec: { hostname: `db-${at}`, subdomain: 'db' },
          container: ready,
        }),
      ),
    );
    await Promise.all(['client', 'db-0', 'db-1'].map(running));
  });

  it('is what pods ask, with the search paths of their namespace', async () => {
    const conf = await inPod('cat', '/etc/resolv.conf');
    expect(conf).toContain(`nameserver ${GATEWAY}`);
    expect(conf).toContain('search default.svc.cluster.local svc.cluster.local cluster.local');
    for (const name of [
      'kubernetes',
      'kubernetes.default',
      'kubernetes.default.svc',
      'kubernetes.default.svc.cluster.local',
    ]) {
      expect(await inPodByGlibc(name), name).toBe('10.96.0.1');
    }
    expect(await inPod('nslookup', '-type=a', 'kubernetes.default.svc.cluster.local')).toContain('10.96.0.1');
  });

  it('knows services by address, port and name', async () => {
    const { spec } = await mendlet.read<{ spec: { clusterIP: string } }>('services/web', { namespace: 'default' });
    const name = 'web.default.svc.cluster.local';
    expect(await ask(name, 'A')).toBe(JSON.stringify([spec.clusterIP]));
    expect(await ask(name, 'AAAA')).toBe('ENODATA');
    expect(await ask(`_http._tcp.${name}`, 'SRV')).toContain(`"name":"${name}","port":80`);
    expect(await ask(`${spec.clusterIP.split('.').toReversed().join('.')}.in-addr.arpa`, 'PTR')).toContain(name);
    expect(await ask('dns-version.cluster.local', 'TXT')).toBe('[["1.1.0"]]');
  });

  it('knows the ready pods of headless services, with their host names', async () => {
    const ips = [await ipOf('db-0'), await ipOf('db-1')];
    const name = 'db.default.svc.cluster.local';
    await untilAnswer(name, 'A', (answer) => answer === JSON.stringify(ips.toSorted()));
    expect(await ask(`db-1.${name}`, 'A')).toBe(JSON.stringify([ips[1]]));
    const srv = await ask(`_sql._tcp.${name}`, 'SRV');
    for (const at of [0, 1]) expect(srv).toContain(`"name":"db-${at}.${name}","port":5432`);
    expect(await ask(`${ips[0]!.split('.').toReversed().join('.')}.in-addr.arpa`, 'PTR')).toContain(`db-0.${name}`);
    expect(await inPodByGlibc('db-0.db')).toBe(ips[0]);
    await mendlet.kubectl(['exec', 'db-0', '--', 'touch', '/unready']);
    await untilAnswer(name, 'A', (answer) => answer === JSON.stringify([ips[1]]));
    await mendlet.kubectl(['exec', 'db-0', '--', 'rm', '/unready']);
    await untilAnswer(name, 'A', (answer) => answer === JSON.stringify(ips.toSorted()));
  });

  it('tells names that have nothing from names that are none', async () => {
    expect(await ask('gone.default.svc.cluster.local', 'A')).toBe('ENOTFOUND');
    expect(await ask('default.svc.cluster.local', 'A')).toBe('ENODATA');
    expect(await ask('kubernetes.default.svc.cluster.local', 'MX')).toBe('ENODATA');
    expect(await ask('10-1-2-3.default.pod.cluster.local', 'A')).toBe('["10.1.2.3"]');
  });

  it('answers for a name as soon as it exists, however often it was denied before', async () => {
    expect(await ask('late.default.svc.cluster.local', 'A')).toBe('ENOTFOUND');
    await mendlet.create(service('late', { ports: [{ port: 80 }] }));
    await untilAnswer('late.default.svc.cluster.local', 'A', (answer) => answer.startsWith('["10.96.'));
  });

  it('asks the servers of the node for all other names, and follows external ones', async () => {
    expect(await ask('www.example.test', 'A')).toBe('["192.0.2.80"]');
    expect(await inPod('nslookup', '-type=a', 'www.example.test')).toContain('192.0.2.80');
    expect(await ask('no.example.test', 'A')).toBe('ENOTFOUND');
    expect(await ask('outside.default.svc.cluster.local', 'CNAME')).toBe('["www.example.test"]');
    expect(await ask('outside.default.svc.cluster.local', 'A')).toBe('["192.0.2.80"]');
    expect(await ask('inside.default.svc.cluster.local', 'A')).toBe('["10.96.0.1"]');
    expect(upstream.asked.filter((name) => name.includes('cluster'))).toEqual([]);
  });

  it('answers programs with musl: names, search paths, what is missing, and more than fits', async () => {
    const { spec } = await mendlet.read<{ spec: { clusterIP: string } }>('services/web', { namespace: 'default' });
    const addresses = Array.from({ length: 60 }, (_, at) => `10.99.0.${at + 1}`);
    await mendlet.create(service('many', { clusterIP: 'None', ports: [{ port: 80 }] }), {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'many-1', labels: { 'kubernetes.io/service-name': 'many' } },
      addressType: 'IPv4',
      ports: [{ name: '', protocol: 'TCP', port: 80 }],
      endpoints: addresses.map((address) => ({ addresses: [address] })),
    });
    await untilAnswer('many.default.svc.cluster.local', 'A', (answer) => answer.includes('10.99.0.60'));
    const wanted = {
      kubernetes: '10.96.0.1',
      'kubernetes.default': '10.96.0.1',
      web: spec.clusterIP,
      'web.default.svc.cluster.local.': spec.clusterIP,
      'db-0.db': await ipOf('db-0'),
      outside: '192.0.2.80',
      inside: '10.96.0.1',
      'www.example.test': '192.0.2.80',
      gone: 'Name does not resolve',
      'no.example.test': 'Name does not resolve',
    };
    const said = await inPod('musl-lookup', ...Object.keys(wanted));
    expect(said.trim().split('\n')).toEqual(Object.entries(wanted).map(([name, answer]) => `${name} ${answer}`));
    // This musl asks by UDP alone: what fits into 512 bytes must be of use to it.
    const many = (await inPod('musl-lookup', 'many')).trim().split('\n');
    expect(many.length).toBeGreaterThan(15);
    for (const line of many) expect(addresses).toContain(line.replace('many ', ''));
  });

  it('answers at the address of kube-dns, too, which the node routes to it', async () => {
    const answer = await until<string>('an answer', async () => {
      const { stdout } = await mendlet.tryKubectl(
        'exec client -- nslookup -type=a kubernetes.default.svc.cluster.local 10.96.0.10'.split(' '),
      );
      return stdout.includes('Address: 10.96.0.1\n') ? { value: stdout } : { last: stdout };
    });
    expect(answer).toContain('10.96.0.10:53');
  });

  it('leaves names of the cluster to the pods of kube-dns while it has any', async () => {
    const address = Object.entries(networkInterfaces())
      .flatMap(([name, found]) => (name.startsWith('mnd') ? [] : (found ?? [])))
      .find(({ family, internal }) => family === 'IPv4' && !internal)?.address;
    if (address === undefined) throw new Error('the machine has no address that a pod could have');
    const other = new Upstream(address, 'theirs.default.svc.cluster.local');
    await other.open();
    await mendlet.create({
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 'other-dns', namespace: 'kube-system', labels: { 'kubernetes.io/service-name': 'kube-dns' } },
      addressType: 'IPv4',
      ports: [{ name: 'dns', protocol: 'UDP', port: 53 }],
      endpoints: [{ addresses: [address] }],
    });
    await untilAnswer('theirs.default.svc.cluster.local', 'A', (answer) => answer === '["192.0.2.80"]');
    expect(await ask('kubernetes.default.svc.cluster.local', 'A')).toBe('ENOTFOUND');
    expect(await ask('www.example.test', 'A')).toBe('["192.0.2.80"]');
    expect(other.asked).not.toContain('www.example.test');
    await mendlet.kubectl(['delete', 'endpointslice', 'other-dns', '-n', 'kube-system']);
    await untilAnswer('kubernetes.default.svc.cluster.local', 'A', (answer) => answer === '["10.96.0.1"]');
    other.close();
  });

  it('loses no lookup of a pod while the agent is killed and starts again', async () => {
    const out = outFolder(mendlet, 'asker');
    const ask =
      'read from x < /proc/uptime; said=$(ping -c 1 -W 1 db-0.db 2>&1 | head -n 1); read to x < /proc/uptime; ' +
      'echo "$from $to $said" >> /out/answers; sleep 0.1';
    await mendlet.create(busyboxPod('asker', `while :; do ${ask}; done`, { spec: out.spec, container: out.mount }));
    const untilAnswers = (more: number): Promise<number> => {
      const before = out.lines('answers').length;
      return until<number>('answers', async () => {
        const count = out.lines('answers').length;
        return count >= before + more ? { value: count } : { last: String(count) };
      });
    };
    await untilAnswers(20);
    await mendlet.end('SIGKILL');
    // Nobody listens: by TCP, too, there is silence, and not a refusal.
    const late = connect({ host: GATEWAY, port: 53 });
    const opened = once(late, 'connect');
    await mendlet.up(flags);
    await opened;
    late.destroy();
    await untilAnswers(20);
    const ip = await ipOf('db-0');
    // Nobody denies the name or refuses to answer. An agent that a busy machine starts only after the whole patience of a
    // resolver, which is two times five seconds, is not there in time for it.
    const early = out.lines('answers').filter((line) => {
      const [from, to] = line.split(' ').map(Number);
      return !line.includes(`(${ip})`) && (to ?? 0) - (from ?? 0) < 9.9;
    });
    expect(early).toEqual([]);
    expect(await inPodByGlibc('db-0.db')).toBe(ip);
    await mendlet.kubectl(['delete', 'pod', 'asker', '--wait=false']);
  });

  it('counts under the names of CoreDNS', async () => {
    await ask('kubernetes.default.svc.cluster.local', 'A');
    await ask('www.example.test', 'A');
    const metrics = await mendlet.kubectl(['get', '--raw', '/api/v1/nodes/e2e/proxy/metrics']);
    expect(metrics).toMatch(/^coredns_dns_requests_total\{.*proto="udp",.*type="A"\} \d+$/m);
    expect(metrics).toMatch(/^coredns_dns_responses_total\{.*rcode="NOERROR",plugin="kubernetes"\} \d+$/m);
    expect(metrics).toMatch(
      /^coredns_proxy_request_duration_seconds_count\{.*to="127\.53\.187\.1:53",rcode="NOERROR"\} \d+$/m,
    );
  });

  itInWhole('takes another address where port 53 is taken, and keeps it for the pods that know it', async () => {
    await mendlet.end('SIGTERM');
    const other = createSocket('udp4');
    await new Promise<void>((done) => other.bind(53, GATEWAY, done));
    await mendlet.up(flags);
    expect(mendlet.log).toContain('another program has port 53');
    await mendlet.create(busyboxPod('later', 'exec sleep 36000'));
    await running('later');
    const inLater = async (...command: string[]): Promise<string> =>
      (await mendlet.tryKubectl(['exec', 'later', '--', ...command])).stdout;
    const [, address = ''] = /nameserver (169\.254\.20\.\d+)/.exec(await inLater('cat', '/etc/resolv.conf')) ?? [];
    expect(address).not.toBe('');
    expect(await inLater('ping', '-c', '1', '-W', '1', 'kubernetes.default')).toContain('(10.96.0.1)');
    await mendlet.end('SIGTERM');
    await new Promise<void>((done) => other.close(done));
    await mendlet.up(flags);
    expect(await inLater('ping', '-c', '1', '-W', '1', 'kubernetes.default')).toContain('(10.96.0.1)');
    expect(await inPodByGlibc('kubernetes.default')).toBe('10.96.0.1');
  });

  it('leaves nothing behind', async () => {
    const links = (): string => spawnSync('ip', ['-o', 'link'], { encoding: 'utf8' }).stdout;
    const instance = readFileSync(join(mendlet.dataDir, 'instance'), 'utf8').trim();
    // It is made for the other address.
    expect(links().includes(dnsLinkName(instance))).toBe(inShort(false, true));
    await mendlet.end('SIGTERM');
    await mendlet.command('down');
    expect(links()).not.toContain(dnsLinkName(instance));
  });
});
