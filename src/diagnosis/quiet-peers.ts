/** Of a pod with which nothing seems wrong: what the servers that it uses complain of, where they name it or what it sends. Pure. */
import { complainsOf } from '../log-analysis/index.ts';
import type { PodEvidence } from './evidence/pod-evidence.ts';
import { allPeers, isItself, type ServiceName, serviceOfHost } from './facts/peers/dependencies.ts';
import { podFacts } from './facts/pod/pod-facts.ts';
import { commandText } from './facts/peers/spec-peers.ts';
import { title } from './rules/ends/exit-code.ts';
import type { Diagnosis } from './finding.ts';
import { told } from './order-findings.ts';

/** Servers of one pod that are asked. */
const MAX_ASKED = 3;
/** Lines of its own log in which names are looked for, and names. */
const MAX_LINES = 120;
const MAX_NAMES = 60;
/** Shorter names stand in others by accident. */
const MIN_NAME = 6;

/** The services that the pod's containers name; none: it has troubles of its own. */
export function servicesUsed(evidence: PodEvidence): readonly ServiceName[] {
  const { containers, deleting, pod } = podFacts(evidence);
  const namespace = pod.metadata?.namespace ?? 'default';
  if (deleting || containers.some(({ trouble, again }) => trouble !== 'none' || again !== undefined)) return [];
  const all = containers
    .filter(({ kind }) => kind !== 'init')
    .flatMap((container) => allPeers(container))
    .filter((peer) => !isItself(peer))
    .flatMap(({ host }) => serviceOfHost(host, namespace) ?? []);
  return [...new Map(all.map((each) => [`${each.namespace}/${each.name}`, each])).values()].slice(0, MAX_ASKED);
}

/** The diagnosis, with what a server says of the pod; without, where it says nothing. @param lines the server's last lines */
export function withComplaintOf(
  diagnosis: Diagnosis,
  evidence: PodEvidence,
  { object, lines }: { readonly object: string; readonly lines: readonly string[] },
): Diagnosis {
  const found = complainsOf(lines, namesOf(evidence));
  const [container] = podFacts(evidence).containers;
  if (found === undefined || container === undefined) return diagnosis;
  const { namespace = 'default' } = evidence.pod.metadata ?? {};
  return {
    ...diagnosis,
    findings: [
      ...told([
        {
          id: 'complained-of',
          severity: 'info',
          rank: 0,
          topic: `runs/${container.name}`,
          container: container.name,
          says: `${title(container)} runs, and ${object}, which it uses, complains of ${found.name} again and again (${found.times} times): ${found.line}`,
          evidence: [{ source: 'object', object, says: found.line }],
          try: [`kubectl -n ${namespace} logs ${object}`],
        },
      ]),
      ...diagnosis.findings,
    ],
  };
}

/** "orders.created", "telemetry-bridge", "plant/line1/temperature": of several words, and neither a number nor a file. */
const NAME = /(?<![\w./@:-])[A-Za-z][\w-]*(?:[./-][\w-]+){1,8}(?![\w@:/])/g;
const IS_NO_NAME =
  /^v?\d|\.(?:py|js|ts|rb|go|java|sh|json|ya?ml|conf|txt|log|html|so|local|svc|com|org|net|io)$|^\w+\/\d/i;

/** The pod's own names and address, and those that stand in its specification and its log, without those of its peers. */
function namesOf(evidence: PodEvidence): readonly string[] {
  const { pod, containers } = podFacts(evidence);
  const hosts = new Set(containers.flatMap((container) => allPeers(container)).map(({ host }) => host));
  const texts = containers.flatMap(({ spec, environment, lines }) => [
    commandText(spec),
    ...environment.map(({ value }) => value),
    ...lines.slice(-MAX_LINES),
  ]);
  const names = texts
    .flatMap((text) => text.slice(0, 4000).match(NAME) ?? [])
    .filter((name) => name.length >= MIN_NAME && !IS_NO_NAME.test(name) && !hosts.has(name));
  const own = [pod.metadata?.name ?? '', pod.status?.podIP ?? ''].filter((name) => name !== '');
  return [...new Set([...own, ...names])].slice(0, MAX_NAMES);
}
