/** Diagnoses a service: why nothing answers at its name and address. Pure. */
import type { NamedService, ServiceSubjectEvidence } from './evidence/service-evidence.ts';
import { quoteEvent } from './facts/pod/events.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { listed, plural } from './facts/words/text.ts';
import type { Diagnosis, RankedFinding } from './finding.ts';
import { podFindings } from './diagnose-pod.ts';
import { ordered, told } from './order-findings.ts';
import { blamedBy } from './service/clients.ts';
import { isNodeDns, kubectl, serviceFacts, type ServiceFacts, why } from './service/service-facts.ts';
import { SERVICE_RULES } from './service/service-rules.ts';
import { groupFindings } from './workload/group-findings.ts';

/** Reasons of events about services that say why a port or an address is not there. */
const TELLING_EVENTS: ReadonlySet<string> = new Set([
  'SyncLoadBalancerFailed',
  'LoadBalancerPortInUse',
  'ExternalIPNotRouted',
]);

export function diagnoseService(evidence: ServiceSubjectEvidence): Diagnosis {
  const { namespace, name, service } = evidence;
  const facts = serviceFacts(evidence);
  const own = facts === undefined ? [] : SERVICE_RULES.flatMap((rule) => rule(facts));
  const ill = ordered(ofPods(facts));
  const found = [
    ...missing(evidence),
    ...externalName(evidence),
    ...withCause(own, ill),
    ...events(evidence),
    ...ill,
    ...ofClients(evidence),
  ];
  return {
    apiVersion: 'mendlet.dev/v1alpha1',
    kind: 'Diagnosis',
    subject: { kind: 'service', namespace, name, uid: service?.metadata?.uid },
    state: stateOf(evidence, facts),
    asWanted: found.every(({ severity }) => severity === 'info'),
    findings: told(ordered(found)),
    notLookedAt: evidence.notLookedAt,
  };
}

/** The name is wrong, or the namespace. */
function missing({ service, elsewhere, name, namespace }: ServiceSubjectEvidence): readonly RankedFinding[] {
  if (service !== undefined) return [];
  const same = elsewhere.filter((each) => each.name === name && each.namespace !== namespace);
  const like = elsewhere.filter((each) => each.namespace === namespace);
  const full = same.map((each) => `${each.name}.${each.namespace}`);
  const says =
    same.length > 0
      ? `there is no service ${name} in namespace ${namespace}; from there it is reached as ${listed(full)}`
      : like.length > 0
        ? `there is no service ${name} in namespace ${namespace}; similar names: ${listed(like.map((each) => each.name))}`
        : `there is no service ${name} in namespace ${namespace}, nor in any other`;
  return [
    {
      id: 'no-such-service',
      severity: 'critical',
      rank: 100,
      topic: 'name',
      says,
      evidence: [...same, ...like].slice(0, 3).map((each) => ({
        source: 'object',
        object: `service/${each.name}`,
        says: `in namespace ${each.namespace}`,
      })),
      try: [same[0] === undefined ? 'kubectl get services -A' : `mendlet why svc/${name} -n ${same[0].namespace}`],
    },
  ];
}

/** It is a name alone: whoever asks for it is sent elsewhere, and no port of it is routed. */
function externalName(evidence: ServiceSubjectEvidence): readonly RankedFinding[] {
  const { spec } = evidence.service ?? {};
  if (spec?.type !== 'ExternalName') return [];
  const wrong = notAName(spec.externalName ?? '');
  if (wrong !== undefined)
    return [
      {
        id: 'external-name',
        severity: 'critical',
        rank: 90,
        topic: 'type',
        says: `its external name ${spec.externalName ?? ''} is ${wrong}, and no DNS server resolves it`,
        evidence: [{ source: 'field', path: 'spec.externalName', value: spec.externalName ?? '' }],
        try: [kubectl(evidence, 'edit', `service/${evidence.name}`)],
      },
    ];
  const { named } = evidence;
  if (named?.missing === true)
    return [
      {
        id: 'external-name',
        severity: 'critical',
        rank: 90,
        topic: 'type',
        says: `it is only another name of ${spec.externalName ?? ''}, and there is no service ${named.name} in namespace ${named.namespace}${elsewhereText(named.elsewhere, named.namespace)}`,
        evidence: [{ source: 'field', path: 'spec.externalName', value: spec.externalName ?? '' }],
        try: [kubectl(evidence, 'edit', `service/${evidence.name}`)],
      },
    ];
  return [
    {
      id: 'external-name',
      severity: 'info',
      rank: 50,
      topic: 'type',
      says: `it is only another name of ${spec.externalName ?? ''}: it has no address and no pods`,
      evidence: [{ source: 'field', path: 'spec.externalName', value: spec.externalName ?? '' }],
      try: [`nslookup ${spec.externalName ?? ''}`, kubectl(evidence, 'get', `service/${evidence.name}`, '-o', 'yaml')],
    },
  ];
}

/** "; there is one in redis-prod", "; there is orders-db" */
function elsewhereText(elsewhere: readonly NamedService[], namespace: string): string {
  const others = elsewhere.filter((each) => each.namespace !== namespace).map((each) => each.namespace);
  const like = elsewhere.filter((each) => each.namespace === namespace).map((each) => each.name);
  if (others.length > 0) return `; there is one in namespace ${listed([...new Set(others)].slice(0, MAX_NAMED))}`;
  return like.length === 0 ? '' : `; there is ${listed(like.slice(0, MAX_NAMED))}`;
}

const MAX_NAMED = 3;

/** What an external name is instead of a name; undefined: it is one. */
function notAName(target: string): string | undefined {
  if (/^(?:\d{1,3}\.){3}\d{1,3}\.?$/.test(target)) return 'an address, for which endpoints are to be written';
  return /[:/]/.test(target) ? 'no name of a host' : undefined;
}

function events(evidence: ServiceSubjectEvidence): readonly RankedFinding[] {
  const seen = new Set<string>();
  return evidence.events
    .filter(({ reason = '' }) => TELLING_EVENTS.has(reason) && !seen.has(reason) && seen.add(reason))
    .map((event) => ({
      id: event.reason === 'ExternalIPNotRouted' ? 'external-ip-not-routed' : 'no-load-balancer',
      severity: 'warning' as const,
      rank: 65,
      topic: 'outside',
      says: (event.message ?? '').replace(/^Error syncing load balancer: /, 'it has no address outside: '),
      evidence: [quoteEvent(event)],
      try: [kubectl(evidence, 'describe', `service/${evidence.name}`)],
    }));
}

/** What those say whom the service fails, although its pods are ready. */
function ofClients(evidence: ServiceSubjectEvidence): readonly RankedFinding[] {
  const told = blamedBy(evidence);
  const [first] = told;
  // That it has no pods is its own finding.
  if (first === undefined || evidence.behind?.nobody !== undefined) return [];
  const pods = told.map(({ pod }) => pod);
  const [needs, fails] = pods.length === 1 ? ['needs', 'fails'] : ['need', 'fail'];
  // What it says of itself is told already.
  if (notAName(evidence.service?.spec?.externalName ?? '') !== undefined) return [];
  const isReady = (serviceFacts(evidence)?.ready.length ?? 0) > 0;
  return [
    {
      id: 'clients-fail',
      severity: 'warning',
      rank: 60,
      topic: 'clients',
      says: `${isReady ? 'its pods are ready, but ' : ''}${plural(pods.length, 'pod')} that ${needs} it ${fails} (${listed(pods)}): ${first.finding.blames?.says ?? ''}`,
      evidence: first.finding.evidence,
      try: pods.slice(0, 3).map((pod) => why(evidence, `pod/${pod}`)),
      pods,
    },
  ];
}

/** That no pod is ready is told with the cause. */
function withCause(own: readonly RankedFinding[], ill: readonly RankedFinding[]): readonly RankedFinding[] {
  const [cause] = ill.filter(({ severity }) => severity !== 'info');
  if (cause === undefined) return own;
  return own.map((finding) =>
    finding.id === 'no-pod-ready' ? { ...finding, says: `${finding.says}: ${cause.says}` } : finding,
  );
}

/** The findings of its pods say why they are not ready. */
function ofPods(facts: ServiceFacts | undefined): readonly RankedFinding[] {
  if (facts === undefined) return [];
  const { behind, selected, ready } = facts;
  const all = behind.looked.map((one) => {
    const name = one.pod.metadata?.name ?? '';
    return { label: name, name, findings: podFindings(podFacts(one)) };
  });
  const prefix = (labels: readonly string[]): string =>
    labels.length === 1 ? `pod ${labels[0]}` : `${labels.length} of its ${selected.length} pods`;
  return groupFindings(all, { prefix, sameTemplate: true }).map((finding) => ({
    ...finding,
    // Others still answer.
    severity: ready.length > 0 && finding.severity === 'critical' ? 'warning' : finding.severity,
  }));
}

function stateOf({ service }: ServiceSubjectEvidence, facts: ServiceFacts | undefined): string {
  if (service === undefined) return 'not found';
  const { type = 'ClusterIP', clusterIP, externalName: target } = service.spec ?? {};
  if (type === 'ExternalName') return `ExternalName ${target ?? ''}`;
  const address = clusterIP === 'None' ? 'headless' : (clusterIP ?? 'no address');
  if (facts === undefined) return `${type} ${address}`;
  const { selected, ready, behind } = facts;
  if (Object.keys(service.spec?.selector ?? {}).length > 0)
    return `${type} ${address}, ${ready.length} of ${plural(selected.length, 'pod')} ready`;
  if (isNodeDns(service)) return `${type} ${address}, answered by the DNS of each node`;
  const count = behind.slices.reduce((sum, slice) => sum + (slice.endpoints?.length ?? 0), 0);
  return `${type} ${address}, ${plural(count, 'endpoint')} of its own`;
}
