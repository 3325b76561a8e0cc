/** Decides of which pods that serve behind services more is worth reading. Pure. */
import type { PodEvidence, ServerWanted } from './evidence/pod-evidence.ts';
import { askedBefore } from './facts/peers/asked-before.ts';
import type { ContainerFacts } from './facts/pod/container-facts.ts';
import { dependencyTrouble, probeTrouble, serviceBehind } from './facts/peers/dependencies.ts';
import { healthCheckOf } from './facts/probes/health-checks.ts';
import { waitsForAnswer } from './facts/pod/paused.ts';
import { type PodFacts, podFacts } from './facts/pod/pod-facts.ts';
import { serverOf, serves, wordsOfPeer } from './facts/servers/server-peers.ts';
import { pointsToLog } from './facts/servers/told-of-servers.ts';
import { asksServer, namesSetting } from './facts/servers/server-settings.ts';
import { withTriesAsEnds } from './facts/words/tries-as-ends.ts';
import { statusGiven, statusSaid } from './facts/peers/told-of-answers.ts';
import { credentialsOfFailure } from './rules/peers/authentication.ts';
import { FULL_AT_SERVER } from './rules/ends/full-at-server.ts';
import { SHARED_MEMORY_FULL } from './rules/ends/shared-memory.ts';
import { isInTrouble } from './wanted.ts';

/** Services of one pod behind which a pod is looked at. */
const MAX_SERVERS = 2;

/** Once the services are known: those of which pods are ready, and that refuse a container in trouble all the same, or told it why. */
export function serversWanted(evidence: PodEvidence): readonly ServerWanted[] {
  const facts = withTriesAsEnds(podFacts(evidence));
  const found = facts.containers
    .filter((container) => isInTrouble(facts, container))
    .flatMap((container) => both(refusing(evidence, container), telling(evidence, facts, container)) ?? []);
  return [...new Map(found.map((each) => [each.service, each])).values()].slice(0, MAX_SERVERS);
}

/** What either asks for, where both are about one service; the first where they are not. */
function both(one: ServerWanted | undefined, other: ServerWanted | undefined): ServerWanted | undefined {
  if (one === undefined || other?.service !== one.service) return one ?? other;
  return {
    service: one.service,
    listening: one.listening || other.listening,
    configs: one.configs || other.configs,
    secrets: one.secrets || other.secrets,
    certificate: one.certificate || other.certificate,
    lines: one.lines || other.lines,
    held: one.held || other.held,
  };
}

function refusing({ services, pod }: PodEvidence, container: ContainerFacts): ServerWanted | undefined {
  const { kind, host } = dependencyTrouble(container) ?? probeTrouble(container) ?? {};
  if (kind !== 'refused' || host === undefined) return undefined;
  const service = serviceBehind(services, host, pod.metadata?.namespace ?? 'default');
  return service !== undefined && serves(service) ? { ...NONE, service, listening: true, configs: true } : undefined;
}

const NONE = { listening: false, configs: false, secrets: false, certificate: false, lines: false, held: false };

/** No connection is left, which the server's log may tell who has. */
const EXHAUSTED = /\btoo many (?:connections|clients)\b|\bconnection slots\b|\bmax_user_connections\b/i;

/** A script keeps it busy, which its log names. */
const BUSY = /\bBUSY (?:Redis|Valkey) is busy running a script\b/i;

const SAYS_OF_SERVER = [SHARED_MEMORY_FULL, FULL_AT_SERVER, EXHAUSTED, BUSY];

/** What programs say of certificates. */
const CERTIFICATE = /certificate|x509|\bPKIX\b|ALTNAME|\bTLS\b|\bSSL\b/i;

function telling(evidence: PodEvidence, facts: PodFacts, container: ContainerFacts): ServerWanted | undefined {
  const lines = wordsOfPeer(container);
  const isCertificate = lines.some((line) => CERTIFICATE.test(line));
  const secrets = credentialsOfFailure(facts, container)?.isForbidden === false;
  const held = waitsForAnswer(container);
  const status = statusSaid(container);
  const isDown = (statusGiven(container) ?? 0) >= 500 || container.again?.isStanding === true;
  const isChecking = isDown && healthCheckOf(facts, container) !== undefined;
  const configs = secrets || status === 403 || (!isCertificate && asksServer(lines)) || namesSetting(lines);
  const asked = askedBefore(container);
  const readsLog =
    secrets ||
    status !== undefined ||
    isChecking ||
    asked !== undefined ||
    lines.some((line) => SAYS_OF_SERVER.some((pattern) => pattern.test(line)) || pointsToLog(line));
  if (!isCertificate && !configs && !held && !readsLog) return undefined;
  const named = asked && serviceBehind(evidence.services, asked.host, evidence.pod.metadata?.namespace ?? 'default');
  const service = named !== undefined && serves(named) ? named : serverOf(evidence, container);
  return service && { ...NONE, service, configs, secrets, certificate: isCertificate, lines: readsLog, held };
}
