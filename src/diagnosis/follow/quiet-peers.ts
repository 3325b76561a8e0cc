/** Of a pod with which nothing seems wrong: what the servers that it uses complain of, where they name it or what it sends. Pure. */
import { complainsOf, isSecretKey, maskSecrets } from '../../log-analysis/index.ts';
import { controllerOf } from '../../api/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { PodEvidence } from '../evidence/pod-evidence.ts';
import type { ContainerFacts } from '../facts/pod/container-facts.ts';
import { allPeers, isItself, type ServiceName, serviceOfHost } from '../facts/peers/dependencies.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { commandText } from '../facts/peers/spec-peers.ts';
import { quotable } from '../facts/words/text.ts';
import { title } from '../rules/ends/exit-code.ts';
import type { Diagnosis } from '../finding.ts';
import { told } from '../order-findings.ts';

/** Servers of one pod that are asked. */
const MAX_ASKED = 3;
/** Lines of its own log in which names are looked for, and names. */
const MAX_LINES = 120;
const MAX_NAMES = 60;
/** Characters of one text. */
const MAX_TEXT = 4000;
/** Shorter names stand in others by accident. */
const MIN_NAME = 6;

/**
 * The services that the pod's containers use, as far as their specification, scripts and configurations tell; none: it has troubles of its own.
 *
 * @param all the names of the services of its namespace
 */
export function servicesUsed(evidence: PodEvidence, all: readonly string[]): readonly ServiceName[] {
  const { containers, deleting, pod } = podFacts(evidence);
  const namespace = pod.metadata?.namespace ?? 'default';
  const isWell = ({ trouble, again, now, status }: ContainerFacts): boolean =>
    again === undefined &&
    now === undefined &&
    (trouble === 'none' || (trouble === 'died-lately' && status?.ready === true));
  if (deleting || !containers.every((each) => isWell(each))) return [];
  const running = containers.filter(({ kind }) => kind !== 'init');
  const peers = running
    .flatMap((container) => allPeers(container))
    .filter((peer) => !isItself(peer))
    .flatMap(({ host }) => serviceOfHost(host, namespace) ?? []);
  const texts = textsOf(evidence);
  const quoted = all.filter((name) => texts.some((text) => isQuoted(text, name))).map((name) => ({ namespace, name }));
  const found = [...peers, ...quoted];
  return [...new Map(found.map((each) => [`${each.namespace}/${each.name}`, each])).values()].slice(0, MAX_ASKED);
}

/** What a pod's containers have that may name a host: commands, variables and the ConfigMaps that are known. */
export function textsOf(evidence: PodEvidence): readonly string[] {
  const running = podFacts(evidence).containers.filter(({ kind }) => kind !== 'init');
  return [
    ...running.flatMap(({ spec, environment }) => [commandText(spec), ...environment.map(({ value }) => value)]),
    ...evidence.configs.flatMap(({ texts: byKey = {} }) => Object.values(byKey)),
  ];
}

/** Whether the name stands there as a text or a host of its own: "nats", @nats:4222, //nats, -h nats. */
export function isQuoted(text: string, name: string): boolean {
  return ['"', "'", '`', '//', '@', '=', '-h ', '--host '].some((before) =>
    ['"', "'", '`', ':', '/', ',', '\n', ' '].some((after) => text.includes(`${before}${name}${after}`)),
  );
}

export interface ServerSaid {
  /** "deployment/broker" */
  readonly object: string;
  /** Its last lines. */
  readonly lines: readonly string[];
  /** The pods of the namespace, of which another one may have the same name for itself. */
  readonly pods?: readonly Pod[];
}

/** Two of them have one name. */
const TAKEN = /\balready connected\b|\btaken over\b|\bduplicate\b|\balready in use\b/i;

/** Where a pod has the name: "in its variable MQTT_CLIENT_ID"; undefined: it does not. */
function placeOfName({ spec }: Pod, name: string): string | undefined {
  for (const { env = [], command = [], args = [] } of spec?.containers ?? []) {
    const variable = env.find(({ value }) => value === name)?.name;
    if (variable !== undefined) return `in its variable ${variable}`;
    if ([...command, ...args].some((each) => each === name || each.endsWith(`=${name}`))) return 'in its command';
  }
  return undefined;
}

/** "; pod bridge-us-1 has the same name in its variable MQTT_CLIENT_ID", or that all pods of its own workload have it. */
function namesake(evidence: PodEvidence, name: string, pods: readonly Pod[]): string {
  const own = controllerOf(evidence.pod)?.uid;
  const others = pods.filter(({ metadata }) => metadata?.uid !== evidence.pod.metadata?.uid);
  const isOwn = (pod: Pod): boolean => own !== undefined && controllerOf(pod)?.uid === own;
  for (const pod of others.filter((each) => !isOwn(each))) {
    const where = placeOfName(pod, name);
    if (where !== undefined) return `; pod ${pod.metadata?.name ?? ''} has the same name, ${where}`;
  }
  const fellows = others.filter((each) => isOwn(each));
  const where = placeOfName(evidence.pod, name);
  // A name in the code is that of each pod, too.
  const isOfAll = where !== undefined || textsOf(evidence).some((text) => isQuoted(text, name));
  if (fellows.length === 0 || !isOfAll) return '';
  return `; the ${fellows.length + 1} pods of its workload all have this name${where === undefined ? '' : `, ${where}`}`;
}

/** The diagnosis, with what a server says of the pod; without, where it says nothing. */
export function withComplaintOf(
  diagnosis: Diagnosis,
  evidence: PodEvidence,
  { object, lines, pods = [] }: ServerSaid,
): Diagnosis {
  const found = complainsOf(lines, namesOf(evidence), secretsOf(evidence));
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
          says: `${title(container)} runs, and ${object}, which it uses, complains of ${found.name} again and again (${found.times} times): ${quotable(found.line).replace(/\.+$/, '')}${TAKEN.test(found.line) ? namesake(evidence, found.name, pods) : ''}`,
          evidence: [{ source: 'object', object, says: quotable(found.line) }],
          try: [`kubectl -n ${namespace} logs ${object}`],
        },
      ]),
      ...diagnosis.findings,
    ],
  };
}

/** "orders.created", "telemetry-bridge", "plant/line1/temperature": of several words, and neither a number nor a file. */
const NAME = /(?<![\w./@:-])[A-Za-z]\w{0,60}(?:[./-]\w{1,60}){1,12}(?![\w@:/])/g;
const IS_NO_NAME =
  /^v?\d|\.(?:py|js|ts|rb|go|java|sh|json|ya?ml|conf|txt|log|html|so|local|svc|com|org|net|io)$|^\w+\/\d/i;

/** The pod's own names and address, and those that stand in its specification and its log, without those of its peers. */
function namesOf(evidence: PodEvidence): readonly string[] {
  const { pod, containers } = podFacts(evidence);
  const hosts = new Set(containers.flatMap((container) => allPeers(container)).map(({ host }) => host));
  const texts = containers.flatMap(({ spec, environment, lines }) => [
    commandText(spec),
    ...environment.map(({ name, value }) => `${name}=${value}`),
    ...lines.slice(-MAX_LINES),
  ]);
  const secrets = secretsOf(evidence);
  const names = texts
    .flatMap((text) => maskSecrets(text.slice(0, MAX_TEXT), secrets).match(NAME) ?? [])
    .filter((name) => name.length >= MIN_NAME && !IS_NO_NAME.test(name) && !hosts.has(name));
  const own = [pod.metadata?.name ?? '', pod.status?.podIP ?? ''].filter((name) => name !== '');
  return [...new Set([...own, ...names])].slice(0, MAX_NAMES);
}

/** The values of its variables that are called as secrets are. */
function secretsOf(evidence: PodEvidence): readonly string[] {
  return podFacts(evidence).containers.flatMap(({ environment }) =>
    environment.flatMap(({ name, value }) => (isSecretKey(name) ? [value] : [])),
  );
}
