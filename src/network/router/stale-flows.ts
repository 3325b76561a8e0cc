/**
 * Connections that conntrack must forget, because they lead where nobody serves. Pure. For UDP as upstream:
 * pkg/proxy/conntrack/cleanup.go.
 */
import type { TrackedConnection } from './router-machine.ts';
import type { ServicePlan } from './service-fronts.ts';

/** Whether a change of this service can leave flows that `staleFlows` finds. */
export function servesUdp(plan: ServicePlan | undefined): boolean {
  return plan?.fronts.some(({ key }) => key.includes('udp . ')) ?? false;
}

/**
 * The flows to forget: those to a front of a service with endpoints, answered by somebody who is none of them. Without an
 * endpoint nothing is forgotten (as upstream): the next packet would find none either.
 * @param own addresses of this machine, at which node ports are
 */
export function staleFlows(
  flows: readonly TrackedConnection[],
  plans: Iterable<ServicePlan>,
  own: ReadonlySet<string>,
): readonly TrackedConnection[] {
  if (flows.length === 0) return [];
  const serving = new Map<string, Set<string>>();
  for (const { fronts } of plans) {
    for (const { at, key, near, far, serving: endpoints } of fronts) {
      if (!key.includes('udp . ')) continue;
      if (near.does !== 'send' && far?.does !== 'send') continue;
      const known = serving.get(`${at} ${key}`) ?? new Set();
      for (const endpoint of endpoints) known.add(endpoint);
      serving.set(`${at} ${key}`, known);
    }
  }
  return flows.filter(({ to, toPort, answeredBy, answeredByPort }) => {
    const known =
      serving.get(`address ${to} . udp . ${toPort}`) ?? (own.has(to) ? serving.get(`port udp . ${toPort}`) : undefined);
    return known !== undefined && !known.has(`${answeredBy} . ${answeredByPort}`);
  });
}

/**
 * The addresses of services to which TCP connections were begun while no rule was there, each once. Conntrack decides once per
 * connection whether it is translated, so these clients repeat their first packet in vain, and so does each later one that gets
 * the same port.
 * @param begun connections that nobody has answered
 */
export function untranslatedAddresses(
  begun: readonly TrackedConnection[],
  plans: Iterable<ServicePlan>,
): readonly string[] {
  const untranslated = begun.filter(
    ({ to, toPort, answeredBy, answeredByPort }) => to === answeredBy && toPort === answeredByPort,
  );
  if (untranslated.length === 0) return [];
  const routed = new Set<string>();
  for (const { fronts } of plans) {
    for (const { at, key, near, far } of fronts)
      if (near.does === 'send' || far?.does === 'send') routed.add(`${at} ${key}`);
  }
  const found = untranslated.filter(({ to, toPort }) => routed.has(`address ${to} . tcp . ${toPort}`));
  return [...new Set(found.map(({ to }) => to))];
}
