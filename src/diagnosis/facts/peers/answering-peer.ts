/** Finds the peer of a container's specification that has answered what its log quotes, where the log names no peer. Pure. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { Quote } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { keyVariables } from '../configs/config-references.ts';
import { allPeers, isItself } from './dependencies.ts';
import { isOptionalPeer } from './optional-peers.ts';
import { kindsIn, kindsOfPeer, type PeerKind } from './peer-kinds.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { peerText, placeText, type SpecPeer } from './spec-peers.ts';

/** What servers answer, in their own words. */
const ANSWERS: Readonly<Record<PeerKind, RegExp>> = {
  cache: anyOf(
    /\b(?:READONLY|NOREPLICAS|MASTERDOWN|CLUSTERDOWN|MISCONF|WRONGTYPE|NOSCRIPT|CROSSSLOT|EXECABORT|BUSYGROUP|NOGROUP|UNKILLABLE|TRYAGAIN|NOPROTO)\b [A-Za-z]/,
    /\bLOADING Redis\b|\bBUSY Redis\b|\bMOVED \d{1,5} |\bASK \d{1,5} /,
    /\bOOM command not allowed\b|\bDB index is out of range\b|\bERR (?:max number of clients|unknown (?:sub)?command|invalid DB index|value is not|wrong number|syntax error|operation not permitted|SELECT is not allowed)/,
  ),
  database: anyOf(
    /\bSQLSTATE\b|\bER_[A-Z]{3,20}_[A-Z_]{2,40}\b|\(HY000\)|\bORA-\d{4,5}\b|\bPG::\w|\bpq: |psycopg2?\.errors|asyncpg\.exceptions/i,
    /read-only transaction|--(?:super-)?read-only option|the database system is (?:starting|shutting|in recovery|not yet)/i,
    /(?:relation|schema|column|table|database|extension|function|sequence) ["'`]?[\w.-]{1,100}["'`]? (?:does not|doesn't) exist|unknown (?:database|column|table)\b/i,
    /violates (?:unique|foreign key|not-null|check|exclusion) constraint|duplicate (?:key value|entry)|deadlock detected|lock wait timeout|statement timeout/i,
    /(?:remaining connection slots|too many (?:clients|connections))|server does not support SSL|SSL is not enabled on the server/i,
    /NotWritablePrimary|\bnot (?:master|primary)\b|\bE11000\b|MongoServerError|must be owner of|permission denied for (?:table|schema|database|relation|sequence)/i,
  ),
  queue: anyOf(
    /\bPRECONDITION_FAILED\b|\bNOT_FOUND - no (?:exchange|queue|vhost)\b|\bRESOURCE_LOCKED\b|\bNOT_ALLOWED - |\bvhost ['"/\w]{1,60} not found/,
    /\bUNKNOWN_TOPIC_OR_PART|\bNOT_LEADER|\bLEADER_NOT_AVAILABLE|\bCOORDINATOR_NOT_AVAILABLE|\bINVALID_REPLICATION_FACTOR|\bTOPIC_AUTHORIZATION_FAILED|\bNOT_ENOUGH_REPLICAS/,
  ),
  search: anyOf(
    /cluster_block_exception|index_not_found_exception|read-only-allow-delete|resource_already_exists_exception|mapper_parsing_exception|circuit_breaking_exception/,
  ),
};
const KINDS = Object.keys(ANSWERS) as readonly PeerKind[];

/** Variables that hold a peer, and no password alone. */
const HOLDS_PEER = /UR[LI]|DSN|HOST|ADDR|CONN|ENDPOINT|BROKER|SERVER/i;

/** What SQLite says, which asks nobody. */
const OF_A_FILE = /sqlite|no such (?:table|column|index)\b/i;

export interface AnsweringPeer {
  /** "its peer is db:5432, of its variable DATABASE_URL" */
  readonly says: string;
  /** Undefined: it stands in a Secret, of which nothing is known. */
  readonly peer?: SpecPeer;
  readonly quotes: readonly Quote[];
}

/** Of which kinds the servers are that may have answered this. */
export function answersIn(line: string): readonly PeerKind[] {
  return KINDS.filter((kind) => ANSWERS[kind].test(line));
}

/**
 * The only peer that may have answered; undefined: none, or more than one.
 *
 * @param isOfAny whether a line that no known kind of server has written is of a peer, too
 */
export function answeringPeer(
  facts: PodFacts,
  container: ContainerFacts,
  line: string,
  isOfAny: boolean,
): AnsweringPeer | undefined {
  const answered = answersIn(line);
  if ((answered.length === 0 && !isOfAny) || OF_A_FILE.test(line)) return undefined;
  const kinds = answered.length > 0 ? answered : kindsIn(line);
  const known = knownPeers(container, kinds);
  const [only, ...more] = known;
  if (only !== undefined)
    return more.length > 0
      ? undefined
      : {
          peer: only,
          says:
            answered.length > 0
              ? `its peer is ${peerText(only)}, of its ${placeText(only)}`
              : `its specification names one such peer, ${peerText(only)} (${placeText(only)})`,
          quotes: [{ source: 'field', path: pathOf(container, only), value: peerText(only) }],
        };
  const [secret, ...others] = secretVariables(facts, container).filter(
    ({ name }) => HOLDS_PEER.test(name) && isOfKind(kindsIn(name), kinds),
  );
  if (secret === undefined || others.length > 0 || answered.length === 0) return undefined;
  return { says: `its peer is that of its variable ${secret.name} of Secret ${secret.secret}`, quotes: [] };
}

/** Whether the names of a Secret's keys may tell which variable holds the peer that has answered. */
export function asksForSecretNames(container: ContainerFacts, line: string): boolean {
  const kinds = answersIn(line);
  return kinds.length > 0 && knownPeers(container, kinds).length === 0;
}

function isOfKind(own: readonly PeerKind[], kinds: readonly PeerKind[]): boolean {
  return kinds.length === 0 || own.some((kind) => kinds.includes(kind));
}

function knownPeers(container: ContainerFacts, kinds: readonly PeerKind[]): readonly SpecPeer[] {
  const found = allPeers(container).filter((peer) => {
    if (isOptionalPeer(peer) || isItself(peer)) return false;
    return isOfKind(kindsOfPeer(`${placeText(peer)} ${peer.host}`, peer.port ?? peer.defaultPort), kinds);
  });
  // The first is that of a variable.
  return [...new Map(found.toReversed().map((peer) => [peer.host, peer])).values()].toReversed();
}

function pathOf({ path }: ContainerFacts, { at }: SpecPeer): string {
  return /^(?:env|command)/.test(at) ? `${path}.${at}` : at;
}

interface SecretVariable {
  readonly name: string;
  readonly secret: string;
}

/** The variables of Secrets: those of envFrom as far as the names of their keys were read. */
function secretVariables({ evidence }: PodFacts, { spec }: ContainerFacts): readonly SecretVariable[] {
  const own = keyVariables(spec).flatMap(({ kind, name, variable }) =>
    kind === 'Secret' ? [{ name: variable, secret: name }] : [],
  );
  const whole = (spec.envFrom ?? []).flatMap(({ secretRef, prefix = '' }) => {
    const secret = secretRef?.name ?? '';
    const known = evidence.configs.find((config) => config.kind === 'Secret' && config.name === secret);
    return (known?.keys ?? []).map((key) => ({ name: `${prefix}${key}`, secret }));
  });
  return [...own, ...whole];
}
