/** Says what was found on the way to a service, step by step. Pure. */
import type { PathStep } from '../../api/index.ts';
import type { KnownService, PathOutcome, PathTarget } from '../ports.ts';
import { expectedAddresses, nameOf, type PathFacts, type PathPlan, type PlannedConnection } from './path-plan.ts';

/** Outcomes of a plan's tries; undefined: it was not tried. */
export interface PathResults {
  /** A text: why nothing could be tried. */
  readonly dns: PathOutcome | string | undefined;
  readonly lookup: PathOutcome | undefined;
  /** Each for the connection of the same place. A text: why nothing could be tried. */
  readonly connections: readonly PathOutcome[] | string;
}

type Outcome = Omit<PathStep, 'stage'>;

const MAX_ADDRESSES_TOLD = 5;

export function pathSteps(facts: PathFacts, plan: PathPlan, results: PathResults): readonly PathStep[] {
  return [
    { stage: 'service', ...serviceStep(facts) },
    { stage: 'routing', ...routingStep(facts) },
    { stage: 'DNS', ...dnsStep(facts, plan, results) },
    ...(typeof facts.service === 'object' ? beyond(facts, plan, results) : []),
  ];
}

function beyond(facts: PathFacts, plan: PathPlan, results: PathResults): readonly PathStep[] {
  const { connections } = results;
  return [
    { stage: 'pod', ...podStep(facts) },
    ...(typeof facts.pod === 'object' ? [{ stage: 'lookup', ...lookupStep(facts, plan, results) } as const] : []),
    ...(typeof connections === 'string'
      ? [{ stage: 'connection', ...skipped(connections) } as const]
      : plan.connections.flatMap((planned, at) => connectionSteps(facts, planned, connections[at] ?? {}))),
    ...plan.leftOut.map((says) => ({ stage: 'connection', ...skipped(says) }) as const),
  ];
}

function serviceStep({ service, wanted }: PathFacts): Outcome {
  const { namespace, name } = wanted;
  if (typeof service === 'string') return broken(service, 'the log of the node agent says more');
  if (service === undefined)
    return broken(`there is no service ${namespace}/${name}`, `kubectl get services -n ${namespace}`);
  if (service.externalName !== undefined) return ok(`an alias for ${service.externalName}`);
  const kind = { None: 'headless', '': 'without an address' }[service.clusterIP] ?? service.clusterIP;
  if (service.ports.length === 0) return ok(`${kind}, without ports`);
  const empty = service.ports.filter(({ endpoints }) => endpoints?.length === 0);
  if (empty.length > 0) {
    const which = empty.map(({ port, protocol }) => `${protocol} ${port}`).join(', ');
    return broken(`${kind}: no endpoint serves ${which}`, `mendlet why svc/${name} -n ${namespace}`);
  }
  if (service.ports.some(({ endpoints }) => endpoints === undefined))
    return ok(`${kind}; this node does not watch its endpoints`);
  return ok(
    `${kind}, ${service.ports.map(({ port, protocol }) => `${protocol} ${port}`).join(', ')}: ${count(service)}`,
  );
}

function count({ ports }: KnownService): string {
  const most = Math.max(...ports.map(({ endpoints }) => endpoints?.length ?? 0));
  return most === 1 ? '1 endpoint' : `${most} endpoints`;
}

function routingStep({ routing, now }: PathFacts): Outcome {
  if (routing === undefined) return skipped('mendlet does not route services here');
  const { table, isThere, writtenAt, failure } = routing;
  const named = `nftables table ip ${table}`;
  if (failure !== undefined)
    return broken(`the last write of ${named} failed: ${failure}`, 'the log of the node agent says more');
  if (writtenAt === undefined)
    return broken(`${named} was not written yet`, 'wait until the node agent knows all services; its log says more');
  if (!isThere) return broken(`${named} is gone`, 'the node agent brings it back within a second; its log says more');
  return ok(`${named} is there, last looked at ${ago(now - writtenAt)} ago`);
}

function ago(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `${minutes}m` : `${Math.round(minutes / 60)}h`;
}

function dnsStep(facts: PathFacts, plan: PathPlan, { dns: outcome }: PathResults): Outcome {
  const { dns, service } = facts;
  if (dns === undefined) return skipped('mendlet does not answer DNS here');
  const { address } = dns;
  if (address === undefined)
    return broken(
      'DNS has no address: port 53 is taken everywhere',
      'end the other program, and start the agent again',
    );
  if (typeof outcome === 'string') return skipped(`${address} was not asked: ${outcome}`);
  if (typeof service !== 'object' || plan.dns === undefined || outcome === undefined)
    return skipped(`${address}; there is no name to ask for`);
  return lookedUp(facts, service, address, outcome, 'the log of the node agent says more');
}

function podStep({ pod }: PathFacts): Outcome {
  if (typeof pod === 'string') return skipped(`${pod}: tried from the node alone`);
  return ok(`tried from pod ${pod.name.namespace}/${pod.name.name}`);
}

function lookupStep(facts: PathFacts, plan: PathPlan, { lookup }: PathResults): Outcome {
  const { pod, service } = facts;
  if (typeof pod === 'string' || typeof service !== 'object') return skipped('there is no pod to ask from');
  if (pod.dnsPolicy === 'Default')
    return skipped('the pod asks the name servers of the node (dnsPolicy Default): it finds no services by name');
  if (pod.nameServers === undefined) return skipped('the pod has no resolv.conf that can be read');
  const [server] = pod.nameServers;
  if (server === undefined)
    return broken('the pod’s resolv.conf names no name server', 'dnsPolicy ClusterFirst gives it the cluster’s');
  if (plan.lookup === undefined || lookup === undefined) return skipped('there is no name to ask for');
  return lookedUp(facts, service, server, lookup, podDnsHelp(facts, server));
}

function podDnsHelp({ pod, dns }: PathFacts, server: string): string {
  if (typeof pod === 'object' && pod.dnsPolicy === 'None')
    return 'the pod’s own dnsConfig names this server (dnsPolicy None); ClusterFirst gives it the cluster’s';
  if (dns?.address !== undefined && dns.address !== server)
    return `DNS of this node is at ${dns.address}; a pod gets its name server when it starts`;
  return 'packets from the pod do not get there, or no answer comes back: look at the firewall of the node';
}

function lookedUp(
  facts: PathFacts,
  service: KnownService,
  server: string,
  { addresses, failure }: PathOutcome,
  help: string,
): Outcome {
  const name = nameOf(facts);
  if (failure !== undefined) return broken(`${server} ${lookupFailure(failure)} for ${name}`, help);
  const found = addresses ?? [];
  const expected = expectedAddresses(service);
  const told = listed(found);
  if (expected !== undefined && !expected.some((address) => found.includes(address)))
    return broken(`${server} answers ${told} for ${name}, and the service has ${listed(expected)}`, help);
  return ok(`${server} answers ${told} for ${name}`);
}

function listed(addresses: readonly string[]): string {
  if (addresses.length === 0) return 'nothing';
  const more = addresses.length - MAX_ADDRESSES_TOLD;
  return `${addresses.slice(0, MAX_ADDRESSES_TOLD).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const LOOKUP_FAILURES: Readonly<Record<string, string>> = {
  ETIMEOUT: 'gave no answer within 2 s',
  ECONNREFUSED: 'refuses: nothing answers DNS there',
  ENOTFOUND: 'says that there is no such name',
  ENODATA: 'has no address',
  ESERVFAIL: 'says that it cannot answer (SERVFAIL)',
  EREFUSED: 'refuses to answer (REFUSED)',
};

function lookupFailure(code: string): string {
  return LOOKUP_FAILURES[code] ?? `failed with ${code}`;
}

const CONNECT_FAILURES: Readonly<Record<string, string>> = {
  ETIMEDOUT: 'no answer within 2 s',
  ETIMEOUT: 'no answer within 2 s',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EHOSTUNREACH: 'no route',
  ENETUNREACH: 'no route',
};

function connected(failure: string | undefined): string {
  return failure === undefined ? 'answered' : (CONNECT_FAILURES[failure] ?? `failed with ${failure}`);
}

function connectionSteps(
  facts: PathFacts,
  { attempt }: PlannedConnection,
  { failure, instead }: PathOutcome,
): readonly PathStep[] {
  const says = `TCP ${text(attempt.to)}: ${connected(failure)}`;
  if (failure === undefined) return [{ stage: 'connection', ...ok(says) }];
  const why = `mendlet why svc/${facts.wanted.name} -n ${facts.wanted.namespace}`;
  if (attempt.instead === undefined || instead === undefined) return [{ stage: 'connection', ...broken(says, why) }];
  const directly = `TCP ${text(attempt.instead)}, an endpoint of it: ${connected(instead.failure)}`;
  // The endpoint answers: what lies between is broken.
  if (instead.failure === undefined)
    return [
      { stage: 'connection', ...broken(says, routingHelp(facts)) },
      { stage: 'endpoint', ...ok(directly) },
    ];
  const help = `the endpoint fails as well, so it is not routing: ${why}`;
  return [
    { stage: 'connection', ...broken(says, help) },
    { stage: 'endpoint', ...broken(directly, why) },
  ];
}

function routingHelp({ routing, pod }: PathFacts): string {
  if (routing === undefined)
    return 'the endpoint answers, so it is routing: look at what routes services here (kube-proxy?)';
  const own = `nft list ruleset (mendlet’s is table ip ${routing.table}), and the log of the node agent`;
  const from = typeof pod === 'object' ? '' : '; the host itself may have another route to the network of services';
  return `the endpoint answers, so it is routing or a firewall: ${own}${from}`;
}

function text({ ip, port }: PathTarget): string {
  return ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`;
}

function ok(says: string): Outcome {
  return { result: 'ok', says };
}

function skipped(says: string): Outcome {
  return { result: 'skipped', says };
}

function broken(says: string, help: string): Outcome {
  return { result: 'broken', says, help };
}
