/**
 * The process of the honest clients: /livez each 20 ms and the renewal of a lease each second, until SIGTERM. The latency of a
 * request is measured from its due time, so that a delayed request does not hide those behind it. It prints all latencies as
 * JSON.
 */
import { Agent, request } from 'node:https';
import { readCredentials } from './credentials.ts';

const [kubeconfig = ''] = process.argv.slice(2);
const { server, ...identity } = readCredentials(kubeconfig);
const agent = new Agent({ keepAlive: true, maxSockets: 32, ...identity });
const LIVEZ_PERIOD_MS = 20;
const LEASE_PERIOD_MS = 1000;
const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

const livez: number[] = [];
const lease: number[] = [];
const failures: string[] = [];
let open = 0;

function send(method: string, path: string, dueAt: number, into: number[], body?: object, type?: string): void {
  open += 1;
  const call = request(new URL(path, server), {
    method,
    agent,
    headers: { 'content-type': type ?? 'application/json' },
  });
  const done = (failure?: string): void => {
    open -= 1;
    into.push(performance.now() - dueAt);
    if (failure !== undefined) failures.push(`${method} ${path}: ${failure}`);
    if (over && open === 0) finish();
  };
  call.on('response', (response) => {
    response.resume();
    response.on('end', () => done((response.statusCode ?? 500) < 400 ? undefined : String(response.statusCode)));
    response.on('error', (error) => done(error.message));
  });
  call.on('error', (error) => done(error.message));
  call.end(body === undefined ? undefined : JSON.stringify(body));
}

let over = false;
function finish(): void {
  const said = JSON.stringify({ livez, lease, failures: failures.slice(0, 20), failed: failures.length });
  process.stdout.write(`${said}\n`, () => process.exit(0));
}

const name = 'honest';
send('POST', LEASES, performance.now(), [], { metadata: { name }, spec: { holderIdentity: name } });
/** Calls `act` for every due time, also for those that passed while this process was delayed. */
function each(periodMs: number, act: (dueAt: number) => void): NodeJS.Timeout {
  let due = performance.now() + periodMs;
  return setInterval(() => {
    for (; due <= performance.now(); due += periodMs) act(due);
  }, periodMs / 4);
}
const timers = [
  each(LIVEZ_PERIOD_MS, (due) => send('GET', '/livez', due, livez)),
  each(LEASE_PERIOD_MS, (due) => {
    const spec = { leaseTransitions: lease.length };
    send('PATCH', `${LEASES}/${name}`, due, lease, { spec }, 'application/merge-patch+json');
  }),
];
process.on('SIGTERM', () => {
  over = true;
  for (const timer of timers) clearInterval(timer);
  setTimeout(finish, 20_000).unref();
  if (open === 0) finish();
});
console.error('probing');
