/**
 * Measures what routing costs on this machine's nft, in a network namespace of its own: all services from nothing, and one
 * endpoint that goes or comes, planned and written as the router does.
 */
import { spawnSync } from 'node:child_process';
import type { EndpointSlice, Service } from '../../../src/api/index.ts';
import { systemProcess } from '../../../src/lib/process.node.ts';
import { openRouterMachine } from '../../../src/network/router/router-machine.node.ts';
import { planService, type RoutingNode } from '../../../src/network/router/service-fronts.ts';
import { TableMirror } from '../../../src/network/router/table-mirror.ts';
import type { ServiceState } from '../../../src/network/router/table-state.ts';

const INSIDE = 'MENDLET_BENCH_INSIDE';
const CHANGES = 40;
const SIZES = [1000, 5000];

interface Figures {
  readonly services: number;
  readonly loadMs: number;
  readonly changeMs: readonly number[];
  readonly lookMs: number;
}

/** @returns lines for people. The method is in them. */
export async function benchRules(): Promise<readonly string[]> {
  const child = spawnSync('unshare', ['-n', process.execPath, import.meta.filename], {
    encoding: 'utf8',
    env: { ...process.env, [INSIDE]: '1' },
  });
  if (child.status !== 0) throw new Error(`unshare: ${child.stderr}`);
  const figures = JSON.parse(child.stdout) as readonly Figures[];
  return figures.flatMap(({ services, loadMs, changeMs, lookMs }) => [
    `${services} services of two endpoints from nothing, one transaction: ${Math.round(loadMs)} ms`,
    `one endpoint of ${services} services goes or comes (${changeMs.length} changes, planned and written by nft): ` +
      `p50 ${quantile(changeMs, 0.5)} ms, p90 ${quantile(changeMs, 0.9)} ms`,
    `a look whether the rules are there, with ${services} services: ${Math.round(lookMs)} ms`,
  ]);
}

async function measure(): Promise<readonly Figures[]> {
  const figures: Figures[] = [];
  for (const services of SIZES) figures.push(await measureOne(services));
  return figures;
}

async function measureOne(services: number): Promise<Figures> {
  const settings = {
    instanceId: 'bench',
    podNetworks: ['10.244.0.0/16'],
    serviceNetworks: ['10.96.0.0/16'],
    routesHost: true,
  };
  const mirror = new TableMirror(settings);
  const machine = openRouterMachine(systemProcess);
  const must = async (text: string): Promise<void> => {
    const failure = await machine.apply(text);
    if (failure !== undefined) throw new Error(failure);
  };
  const begun = performance.now();
  const load = mirror.load(new Map(Array.from({ length: services }, (_, at) => stateOf(mirror, at, 2))));
  await must(load.text);
  load.commit();
  const loadMs = performance.now() - begun;
  const changeMs: number[] = [];
  for (let at = 0; at < CHANGES; at++) {
    const changed = performance.now();
    // Half of the changes take an endpoint away, half bring it back.
    const change = mirror.change(new Map([stateOf(mirror, Math.floor(at / 2) * 7, at % 2 === 0 ? 1 : 2)]));
    await must(change.text);
    change.commit();
    changeMs.push(performance.now() - changed);
  }
  const looked = performance.now();
  await machine.outline(mirror.table);
  return { services, loadMs, changeMs, lookMs: performance.now() - looked };
}

const node: RoutingNode = { nodeName: 'here', zone: undefined, nodeDns: undefined, verdictOf: () => undefined };

function stateOf(mirror: TableMirror, at: number, endpoints: number): [string, ServiceState] {
  const [high, low] = [Math.floor(at / 250), (at % 250) + 1];
  const service: Service = { spec: { clusterIP: `10.96.${high}.${low}`, ports: [{ port: 80 }] } };
  const slice: EndpointSlice = {
    addressType: 'IPv4',
    ports: [{ name: '', port: 8080, protocol: 'TCP' }],
    endpoints: Array.from({ length: endpoints }, (_, each) => ({
      addresses: [`10.244.${high + each * 100}.${low}`],
      nodeName: 'here',
    })),
  };
  const key = `bench/s${at}`;
  return [key, mirror.stateFor(key, planService(service, [slice], node))];
}

function quantile(values: readonly number[], part: number): number {
  return Math.round(values.toSorted((a, b) => a - b)[Math.floor(values.length * part)] ?? 0);
}

if (process.env[INSIDE] !== undefined) process.stdout.write(JSON.stringify(await measure()));
else if (process.argv[1] === import.meta.filename) process.stdout.write(`${(await benchRules()).join('\n')}\n`);
