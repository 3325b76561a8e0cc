/**
 * What routing and DNS cost those who do not ask for them: the same figures without and with them, on two mendlets after each
 * other in one run. Pods are in services either way.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { busyboxPod, Mendlet, outFolder, until } from '../../e2e/harness.ts';
import { percentile, ratio, treeUsage, uptimeSeconds } from '../figures.ts';
import { oneCrash } from '../one-crash.ts';

const PODS = 100;
const EXTRA_SERVICES = 400;
const CLIENTS = 8;
const CRASHES = 10;
const SETTLE_MS = 15_000;
const REST_MS = 60_000;
const WITHOUT = ['--service-proxy', 'off', '--cluster-dns', 'off'];

export interface GuardFigures {
  readonly servicesPerSecond: number;
  readonly podsPerSecond: number;
  readonly restPercent: number;
  readonly restMiB: number;
  readonly crashSeconds: readonly number[];
  readonly deletedSeconds: number;
}

export interface Guards {
  readonly without: GuardFigures;
  readonly with: GuardFigures;
}

export async function guardFigures(): Promise<Guards> {
  return { without: await measure(213, WITHOUT), with: await measure(214, []) };
}

async function measure(podNetwork: number, flags: readonly string[]): Promise<GuardFigures> {
  const mendlet = new Mendlet({ podNetwork, flags: ['--service-cidr', '10.94.0.0/16', ...flags] });
  try {
    await mendlet.up();
    const servicesPerSecond = await createServices(mendlet);
    const podsPerSecond = await createPods(mendlet);
    const rest = await atRest(mendlet);
    const crashSeconds = await crashes(mendlet);
    const deletedSeconds = await deletions(mendlet);
    return { servicesPerSecond, podsPerSecond, ...rest, crashSeconds, deletedSeconds };
  } finally {
    await mendlet.down();
  }
}

const nameOf = (at: number): string => `guard-${at}`;

function service(name: string): object {
  const spec = { selector: { app: name }, ports: [{ port: 80, targetPort: 8080 }] };
  return { apiVersion: 'v1', kind: 'Service', metadata: { name, labels: { guard: 'extra' } }, spec };
}

/** @returns Services that some clients create in a second */
async function createServices(mendlet: Mendlet): Promise<number> {
  const names = Array.from({ length: EXTRA_SERVICES }, (_, at) => `extra-${at}`);
  await mendlet.create(service('warm-up'));
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: CLIENTS }, (_, client) =>
      mendlet.create(...names.filter((_name, at) => at % CLIENTS === client).map(service)),
    ),
  );
  const seconds = (performance.now() - begun) / 1000;
  await mendlet.kubectl(['delete', 'services', '-l', 'guard=extra']);
  await mendlet.create(...Array.from({ length: PODS }, (_, at) => service(nameOf(at))));
  return EXTRA_SERVICES / seconds;
}

/** @returns pods that get to run in a second, created all at once */
async function createPods(mendlet: Mendlet): Promise<number> {
  const out = outFolder(mendlet, 'burst');
  const from = uptimeSeconds();
  const names = Array.from({ length: PODS }, (_, at) => nameOf(at));
  await mendlet.create(
    ...names.map((name) => {
      const script = `echo s $(cat /proc/uptime) >/out/${name}; trap "exit 0" TERM; sleep 36000 & wait`;
      const spec = { ...out.spec, terminationGracePeriodSeconds: 30 };
      return busyboxPod(name, script, {
        metadata: { labels: { app: name, guard: 'pod' } },
        spec,
        container: out.mount,
      });
    }),
  );
  await until('all pods to run', async () => {
    const started = names.filter((name) => out.lines(name).length > 0).length;
    return started === PODS ? { value: true } : { last: `${started} of ${PODS}` };
  });
  return PODS / (Math.max(...names.map((name) => Number(out.lines(name)[0]!.split(' ')[1]))) - from);
}

async function atRest(mendlet: Mendlet): Promise<{ readonly restPercent: number; readonly restMiB: number }> {
  await sleep(SETTLE_MS);
  const before = treeUsage(mendlet.pid);
  const from = uptimeSeconds();
  await sleep(REST_MS);
  const after = treeUsage(mendlet.pid);
  const restPercent = (100 * (after.cpuSeconds - before.cpuSeconds)) / (uptimeSeconds() - from);
  return { restPercent, restMiB: after.rssMiB };
}

/** @returns seconds from a crash to the next first output, with a service in front */
async function crashes(mendlet: Mendlet): Promise<readonly number[]> {
  await mendlet.create(service('front'));
  const out = outFolder(mendlet, 'crash');
  const seconds: number[] = [];
  for (let run = 0; run < CRASHES; run++) {
    const name = `crash-${run}`;
    seconds.push(await oneCrash(mendlet, out, name, run, { app: 'front' }));
    // A node takes 110 pods.
    await mendlet.kubectl(['delete', 'pod', name, '--force', '--grace-period=0']);
  }
  return seconds;
}

/** @returns seconds until all pods are gone; each ends at once at its signal */
async function deletions(mendlet: Mendlet): Promise<number> {
  const from = uptimeSeconds();
  await mendlet.kubectl(['delete', 'pods', '-l', 'guard=pod', '--wait=true']);
  return uptimeSeconds() - from;
}

/** One line for each figure. */
export function guardLines({ without, with: routed }: Guards): readonly string[] {
  const line = (what: string, of: (figures: GuardFigures) => number, unit: string, digits: number, goal = ''): string =>
    `${what.padEnd(50)} ${of(without).toFixed(digits)} ${unit} without, ${of(routed).toFixed(digits)} with (${ratio(of(routed), of(without))}${goal})`;
  const crash = (p: number) => (figures: GuardFigures) => percentile(figures.crashSeconds, p) * 1000;
  return [
    line('crash → running, a service in front, p50', crash(0.5), 'ms', 0),
    line('crash → running, a service in front, p90', crash(0.9), 'ms', 0),
    line(`${PODS} pods at once`, ({ podsPerSecond }) => podsPerSecond, 'pods/s', 1),
    line(`${PODS} pods of services deleted`, ({ deletedSeconds }) => deletedSeconds, 's', 1),
    line(`Services created by ${CLIENTS} clients`, ({ servicesPerSecond }) => servicesPerSecond, '/s', 0),
    line(
      `at rest, ${PODS} pods and services: CPU of a core`,
      ({ restPercent }) => restPercent,
      '%',
      2,
      ', goal ≤ 1.0 %',
    ),
    line('  memory with what it started', ({ restMiB }) => restMiB, 'MiB', 0, ', goal at most 8 MiB more'),
  ];
}
