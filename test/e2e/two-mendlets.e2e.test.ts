/** Tests that two mendlets on one machine, with one network of services, keep their services and their DNS apart. */
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { busyboxPod, Mendlet, mainContainer, until } from './harness.ts';
import { freeServiceNetwork } from './service-network.ts';

/** One network for both, and for no other suite: the host has the services of the first mendlet with a network. */
const network = freeServiceNetwork(117, 88, 89);
const flags = ['--service-cidr', `${network}.0.0/16`];
const IP = `${network}.77.77`;
const DNS_IP = `${network}.0.10`;
const first = new Mendlet({ podNetwork: 181, flags });
const second = new Mendlet({ podNetwork: 182, flags });
const both = [
  { name: 'first', mendlet: first },
  { name: 'second', mendlet: second },
];

const inPod = async (mendlet: Mendlet, script: string): Promise<string> => {
  const { stdout, stderr } = await mendlet.tryKubectl(['exec', 'web', '--', 'sh', '-c', script]);
  return `${stdout}${stderr}`.trim();
};
const fromPod = (mendlet: Mendlet): Promise<string> => inPod(mendlet, `timeout 5 wget -q -O - http://${IP}/`);

function fromHost(): Promise<string> {
  return new Promise((done) => {
    let text = '';
    const socket = connect({ host: IP, port: 80, timeout: 3000 }, () => socket.write('GET / HTTP/1.0\r\n\r\n'));
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('timeout', () => socket.destroy());
    socket.on('error', () => {});
    socket.on('close', () => done(text.split('\r\n\r\n')[1]?.trim() ?? 'failed'));
  });
}

async function untilSays(ask: () => Promise<string>, wanted: string): Promise<void> {
  await until(`the answer ${wanted}`, async () => {
    const said = await ask();
    return said === wanted ? { value: true } : { last: said };
  });
}

beforeAll(async () => {
  for (const { name, mendlet } of both) {
    await mendlet.up();
    const script = `mkdir -p /www; echo ${name} >/www/index.html; exec httpd -f -p 8080 -h /www`;
    await mendlet.create(busyboxPod('web', script, { metadata: { labels: { app: 'web' } } }), {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'web' },
      spec: { clusterIP: IP, selector: { app: 'web' }, ports: [{ port: 80, targetPort: 8080 }] },
    });
    await mendlet.untilPod('web', 'ready', (pod) => mainContainer(pod)?.ready === true);
  }
});
afterAll(async () => {
  await Promise.all(both.map(({ mendlet }) => mendlet.down()));
});

it('leads the pods of each to its own services; the host has the first one’s', async () => {
  for (const { name, mendlet } of both) await untilSays(() => fromPod(mendlet), name);
  await untilSays(fromHost, 'first');
  expect(second.log).toContain('the host itself does not reach these services');
});

it('answers the pods of each out of its own cluster', async () => {
  for (const { name, mendlet } of both) {
    await mendlet.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: `only-${name}` },
      spec: { ports: [{ port: 80 }] },
    });
  }
  const lookUp = async (mendlet: Mendlet, name: string, server = ''): Promise<boolean> =>
    new RegExp(`Address: ${network}\\.\\d+\\.\\d+$`).test(
      await inPod(mendlet, `nslookup -type=a only-${name}.default.svc.cluster.local ${server}`),
    );
  for (const { name, mendlet } of both) {
    const other = name === 'first' ? 'second' : 'first';
    for (const server of ['', DNS_IP]) {
      await until(`only-${name}`, async () =>
        (await lookUp(mendlet, name, server)) ? { value: true } : { last: 'no answer' },
      );
      expect([await lookUp(mendlet, name, server), await lookUp(mendlet, other, server)]).toEqual([true, false]);
    }
  }
});

it('leaves the other’s alone when one goes', async () => {
  await second.end('SIGTERM');
  await second.command('down');
  expect([await fromPod(first), await fromHost()]).toEqual(['first', 'first']);
});
