/**
 * Measures how late probes come, with and without a tab of the live page open, in turns (root): `npm run bench:probes`. The probes of
 * real pods ask a server in this process each second, while containers die, about one a second.
 */
import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { busyboxPod, Mendlet } from '../e2e/harness.ts';
import { newLink } from '../page/links.ts';
import { percentile } from './figures.ts';

const NETWORK = 249;
const GATEWAY = `10.${NETWORK}.0.1`;
const PERIOD_MS = 1000;
const LOOP = {
  rungs: [{ scope: 'container', attempts: 1000 }],
  backOff: { initial: '1s', factor: 1, cap: '1s' },
};

const { values } = parseArgs({
  options: {
    pods: { type: 'string', default: '30' },
    dying: { type: 'string', default: '4' },
    seconds: { type: 'string', default: '15' },
    rounds: { type: 'string', default: '4' },
  },
});

/** When each pod was asked last, and how far from a period after the time before, ms. */
const asked = new Map<string, number>();
let late: number[] = [];
const server = createServer((question, answer) => {
  const now = performance.now();
  const name = question.url ?? '';
  const before = asked.get(name);
  if (before !== undefined) late.push(Math.abs(now - before - PERIOD_MS));
  asked.set(name, now);
  answer.end('well');
});

/** Opens the page's stream, as a tab does. @returns ends it */
async function openTab(kubeconfig: string): Promise<() => void> {
  const link = await newLink(kubeconfig);
  const code = link.url.split('#login=')[1] ?? '';
  const place = { host: '127.0.0.1', port: link.port, agent: false } as const;
  const host = `${link.name}:${link.port}`;
  const cookie = await new Promise<string>((done, fail) => {
    const headers = { host, origin: link.origin, 'content-type': 'application/json' };
    const login = request({ ...place, path: '/login', method: 'POST', headers }, (response) => {
      response.resume();
      const [set] = response.headers['set-cookie'] ?? [];
      if (set === undefined) fail(new Error(`login: ${response.statusCode}`));
      else done(set.split(';')[0] ?? '');
    });
    login.on('error', fail);
    login.end(JSON.stringify({ code }));
  });
  const stream = request({ ...place, path: '/stream', headers: { host, cookie } }, (response) => {
    if (response.statusCode !== 200) throw new Error(`stream: ${response.statusCode}`);
    response.resume();
    response.on('error', () => {});
  });
  stream.on('error', () => {});
  stream.end();
  return () => stream.destroy();
}

function told(found: readonly number[]): string {
  const at = (share: number): string => percentile(found, share).toFixed(1);
  return `p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)} ms of ${found.length}`;
}

const mendlet = new Mendlet({ podNetwork: NETWORK, flags: ['--service-cidr', '10.126.0.0/16'] });
try {
  await mendlet.up();
  await new Promise<void>((done) => server.listen(0, '0.0.0.0', done));
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const probes = Array.from({ length: Number(values.pods) }, (_, at) =>
    busyboxPod(`asked-${at}`, 'exec sleep 36000', {
      container: { readinessProbe: { httpGet: { host: GATEWAY, port, path: `/${at}` }, periodSeconds: 1 } },
    }),
  );
  const dying = Array.from({ length: Number(values.dying) }, (_, at) =>
    busyboxPod(`dying-${at}`, 'echo no database; sleep 3; exit 1', {
      metadata: { annotations: { 'mendlet.dev/healing-policy': JSON.stringify(LOOP) } },
    }),
  );
  await mendlet.create(...probes, ...dying);
  await mendlet.kubectl([
    'wait',
    'pod',
    '--for=condition=Ready',
    '--timeout=300s',
    ...probes.map((_, at) => `asked-${at}`),
  ]);
  await sleep(5000);
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const withTab of round % 2 === 0 ? [false, true] : [true, false]) {
      const close = withTab ? await openTab(mendlet.kubeconfig) : () => {};
      await sleep(1500);
      late = [];
      await sleep(Number(values.seconds) * 1000);
      console.log(`${withTab ? 'one tab' : 'no tab '}: ${told(late)}`);
      close();
      // A feed goes on for half a minute after its last tab.
      if (withTab) await sleep(32_000);
    }
  }
} finally {
  server.close();
  server.closeAllConnections();
  await mendlet.down();
}
