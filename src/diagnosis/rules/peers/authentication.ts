/** Rule: a peer refuses a container's user, password, token or rights, perhaps since its Secret changed. */
import { anyOf, httpStatusIn, peerIn, urlPeers } from '../../../log-analysis/index.ts';
import { type ConfigChange, configChange } from '../../facts/pod/config-changes.ts';
import type { Pod } from '../../evidence/kinds.ts';
import { backupRepository } from '../../facts/servers/backup-repository.ts';
import { configFile } from '../../facts/configs/config-files.ts';
import { textOf } from '../../facts/configs/config-lines.ts';
import { credentialSource } from '../../facts/servers/credential-sources.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { surePeer, variablePeers } from '../../facts/peers/dependencies.ts';
import {
  endedByItself,
  type LastWord,
  lastWord,
  linesAround,
  propertyWord,
  quoteLine,
  rankOfWord,
} from '../../facts/words/last-words.ts';
import { blameOfPeer } from '../../facts/peers/peer-blame.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { isCausedBySystem, REFUSED_BY_SSH } from '../../facts/words/system-errors.ts';
import type { RefusedRight } from '../../facts/pod/refused-right.ts';
import { bindingText, refusedRightIn } from '../../facts/pod/refused-rights.ts';
import { holdsRight } from '../../facts/pod/role-texts.ts';
import { REFUSED_LOGIN, REFUSED_RIGHT } from '../../facts/words/sql-errors.ts';
import { environmentPeers, peerText } from '../../facts/peers/spec-peers.ts';
import { audienceText } from '../../facts/pod/token-audience.ts';
import { asEndedBy } from '../../facts/words/tries-as-ends.ts';
import { formatAge, quotable } from '../../facts/words/text.ts';
import type { RankedFinding } from '../../finding.ts';
import { type ContainerRule, eachContainer, NOTHING, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, saidBy, title } from '../ends/exit-code.ts';
import { isItselfPooler, isOfPooler } from './poolers.ts';
import { isTooOpen } from '../ends/file-modes.ts';
import { isLateForReady } from '../probes/readiness.ts';

const REFUSED = new RegExp(
  [
    String.raw`(?:password )?authentication (?:failed|failure|required)|access denied for user(?!.{1,120} to database)|\bWRONGPASS\b|\bNOAUTH\b`,
    String.raw`invalid (?:username-password|user ?name or password|credentials|password\b.*\buser|api[- ]?key|access key|token\b)`,
    String.raw`\b401\b.{0,60}(?:signature|token|jwt)|(?:jwt|token) signature|signature (?:verification|validation) failed|\binvalid signature\b`,
    String.raw`(?:unknown|revoked|expired|disabled|bad|wrong|incorrect|unrecogni[sz]ed) (?:api|access)[ _-]?(?:key|token)\b`,
    String.raw`(?:bad|wrong|incorrect) (?:credentials|password(?! type)|user ?name)|login (?:failed|incorrect)|\bACCESS_REFUSED\b|no pg_hba\.conf entry`,
    String.raw`(?:role|user) "[^"]{1,100}" does not exist|SASL authentication|no password (?:was )?supplied|InvalidAccessKeyId|SignatureDoesNotMatch`,
    String.raw`\b401:? \(?unauthori[sz]ed|\bunauthori[sz]ed\b.{0,40}\b401\b|(?:status(?: ?code)?|HTTP(?:\/[\d.]+)?|HTTP Error|response code|returned error|error|code)[:= ]{1,3}401\b|\b401 Client Error|Unauthenticated\b`,
    REFUSED_LOGIN.source,
    String.raw`\binvalidCredentials\b|LDAPInvalidCredentials|\bLDAP(?:Bind)?Error\b.{0,60}invalid credentials`,
    REFUSED_BY_SSH.source,
    // Brokers
    String.raw`connection (?:refused|error|failed)\b.{1,12}(?:not authori[sz]ed|bad user ?name)|not authori[sz]ed to connect|\bauthorization violation\b`,
    String.raw`\b401\b.{0,40}\bunauthori[sz]ed\b|^unauthori[sz]ed[.!]?$|: unauthori[sz]ed[.!]?$|\(unauthori[sz]ed\)|invalid audience\b|\w(?:Exception|Error): \(401\)`,
  ].join('|'),
  'i',
);
/** A mail server passes nothing on for this client. */
const RELAY =
  /\brelay(?:ing)? (?:access )?(?:denied|not permitted|not allowed|prohibited)\b|\bunable to relay\b|\bnot permitted to relay\b|\bwe do not relay\b/i;
const FORBIDDEN = anyOf(
  /\b403:? \(?forbidden/i,
  /\w(?:Exception|Error): \(403\)/i,
  /(?:status(?: ?code)?|HTTP(?:\/[\d.]+)?|HTTP Error|response code|returned error|error|code)[:= ]{1,3}403\b/i,
  /\b403 Client Error/i,
  /\b(?:returned|answered|answers|replied|responded|gave|got|received)(?: with)?(?: an?)?(?: HTTP)?(?: status)?(?: code)? 403\b/i,
  /\binsufficient[_ ](?:scope|permissions?|privileges?)\b/i,
  /(?:code(?: = |: ?|=)|status(?: = |: ?|=))PermissionDenied\b/i,
  /\bPERMISSION_DENIED: /i,
  /not authorized to/i,
  /\bAccessDenied\b(?!Exception)/i,
  /\bis forbidden: User\b/i,
  /permission denied for (?:table|schema|database|relation|sequence|function)/i,
  /command denied to user/i,
  // MySQL knows the user, who lacks a right (ER_DBACCESS_DENIED_ERROR).
  /access denied for user .{1,120} to database/i,
  /\bNOPERM\b/i,
  /\bhost '?[^'\s]{1,100}'? is (?:not allowed to connect|blocked because of many)/i,
  REFUSED_RIGHT,
  RELAY,
);
/** "no pg_hba.conf entry for host "10.2.0.8"" */
const OWN_ADDRESS = /pg_hba\.conf entry for (?:replication connection from )?host "[^"]{1,100}"/;
/** It has not said who it is. */
const UNKNOWN_CALLER =
  /\bNOAUTH\b|\bAuthenticationError: Authentication required\b|no password (?:was )?supplied|\(using password: NO\)/;
/** A program's own settings, which no peer has seen yet. */
const OWN_SETTINGS =
  /\bcredentials?\b.{0,40}\b(?:from|in) (?:the |its )?(?:shell )?(?:environment|config\w*|settings)\b/i;
/** A file that nobody could read as what it should be, which no peer has seen. */
const NOT_PARSED =
  /unexpected (?:token|end|character|eof)|(?:not (?:a )?valid|invalid|malformed|bad) (?:json|ya?ml|xml|pem|base64)|\bparse|JSONDecode|Expecting (?:value|property)|\bcredentials? file\b/i;
/** A peer that knows who asks, and keeps for somebody else what is asked for: RabbitMQ says ACCESS_REFUSED of it, too. */
const HELD_BY_OTHER = /\bin exclusive use\b|\bRESOURCE_LOCKED\b|\bexclusive (?:access|queue|lock)\b/i;
/** A directory that let Apache in, and did not find somebody else. */
const SEARCHED = /\[ldap_search\w*\(\)[^\]]{0,80}\]\[(?!Invalid credentials)/i;
/** RabbitMQ's own log of what it refused to a client. */
const SAID_BY_BROKER = /\bChannel error on connection </;
/** RabbitMQ has let the user in. */
const OF_RIGHT = /\baccess to (?:queue|exchange|topic) '[^']{1,255}' in vhost '[^']{1,255}' refused for user\b/i;
const NO_FILE = /no such file|\bENOENT\b/i;
export interface RefusedCredentials {
  readonly word: LastWord;
  /** The peer knows who asks, and does not allow it. */
  readonly isForbidden: boolean;
}

/** What the log says of refused credentials, of a container that ended by itself or is not ready. */
export function refusedCredentials(facts: PodFacts, container: ContainerFacts): RefusedCredentials | undefined {
  const unready = container.death === undefined && isLateForReady(facts, container);
  if (!unready && (!endedByItself(container) || [126, 127, 128].includes(container.death?.exitCode ?? 0)))
    return undefined;
  const refused = lastWord(container, REFUSED) ?? propertyWord(container, REFUSED_LOGIN);
  const word = refused ?? lastWord(container, FORBIDDEN) ?? propertyWord(container, REFUSED_RIGHT);
  if (word === undefined || (unready && word.fromEnd > 8) || OWN_SETTINGS.test(word.line)) return undefined;
  if (SEARCHED.test(word.line) || SAID_BY_BROKER.test(word.line)) return undefined;
  // A key that its program does not use was never shown.
  if (REFUSED_BY_SSH.test(word.line) && isTooOpen(facts, container)) return undefined;
  // Another rule tells of a login that is not its own.
  if (isOfPooler(word.line) && !isItselfPooler(container)) return undefined;
  // A server that fails by itself refuses nobody.
  if (NOT_PARSED.test(word.line) || (httpStatusIn(word.line) ?? 0) >= 500) return undefined;
  // What the system refused, no peer was asked for: a token that could not be read was never shown to it.
  if (NO_FILE.test(word.line) || HELD_BY_OTHER.test(word.line) || isCausedBySystem(word.line, word.match))
    return undefined;
  return { word, isForbidden: refused === undefined || OF_RIGHT.test(word.line) };
}

/** The same, or that of the last failure of one that runs and is not ready: what its probe is answered may come of it. */
export function credentialsOfFailure(facts: PodFacts, container: ContainerFacts): RefusedCredentials | undefined {
  const { failing, death } = container;
  const own = refusedCredentials(facts, container);
  if (own !== undefined || failing === undefined || death !== undefined) return own;
  return refusedCredentials(facts, asEndedBy(container, failing, facts.now));
}

const ofContainer: ContainerRule = (facts, container) => {
  const found = refusedCredentials(facts, container);
  return found === undefined ? NOTHING : [finding(facts, container, found)];
};

export const authentication: PodRule = eachContainer(ofContainer);

function finding(facts: PodFacts, container: ContainerFacts, { word, isForbidden }: RefusedCredentials): RankedFinding {
  const { decisive } = container.reading;
  const line = decisive?.line === word.line ? saidBy(decisive) : quotable(word.line);
  const change = configChange(facts, container);
  const right = isForbidden ? lackedRight(facts, container, word) : undefined;
  const peer = peerOf(container, word);
  const repository = peer === undefined ? backupRepository(facts, container) : undefined;
  const proxy = proxyOf(container, word.line);
  const whom =
    proxy !== undefined
      ? `its proxy ${proxy}`
      : peer === undefined
        ? repository === undefined
          ? 'its peer'
          : `its ${repository}`
        : `its peer ${peer}${serviceText(facts, peer)}`;
  const what = RELAY.test(word.line)
    ? `may not send mail through ${whom}, which passes on only what comes of its own networks and users (mynetworks of Postfix)`
    : isForbidden
      ? `is denied what it asks of ${whom}`
      : OWN_ADDRESS.test(word.line)
        ? `is not let in by ${whom}, whose pg_hba.conf has no rule for it`
        : UNKNOWN_CALLER.test(word.line)
          ? `is not let in by ${whom}, which wants a password, and it gives none${masterPasswordText(facts, container, word.line)}`
          : `is not let in by ${whom}, which refuses its ${credentialIn(word.line)}`;
  const says =
    right === undefined
      ? `${title(container)} ${what}${change !== undefined || (isForbidden && !OF_HTTP.test(word.line)) ? '' : audienceText(facts, container, { line: word.line, peer }) || sourceText(facts, container, word.line)}${changeText(facts, change)}: ${line.replace(/\.+$/, '')}`
      : `${title(container)} may not ${right.verb} ${right.resource}: no role allows that to its service account ${right.account.namespace}/${right.account.name}${bindingText(right, facts.evidence.bindings, facts.evidence.roles)}: ${line.replace(/\.+$/, '')}`;
  const unready = container.death === undefined;
  const blames = blameOfPeer(
    facts,
    container,
    word,
    isForbidden ? 'does not allow what is asked' : 'refuses the password or user',
  );
  const ended = explainedEnd(facts, container, {
    id: isForbidden ? 'not-allowed' : 'authentication-refused',
    rank: rankOfWord(87, word),
    says,
    line: word.line,
    more: change === undefined || right !== undefined ? [] : [change.quote],
    try: commands(facts, container, { change, right }),
  });
  const told = blames === undefined || right !== undefined ? ended : { ...ended, blames };
  if (!unready) return told;
  return {
    ...told,
    severity: 'warning',
    topic: `ready/${container.name}`,
    evidence: [quoteLine(container, word.line), ...(change === undefined ? [] : [change.quote])],
  };
}

/** The right that its account lacks; of one that only an address tells another cause is left, where a role holds it or none was read. */
function lackedRight(facts: PodFacts, container: ContainerFacts, word: LastWord): RefusedRight | undefined {
  const { bindings, roles = [] } = facts.evidence;
  const right = refusedRightIn(linesAround(container, word), accountOf(facts.pod));
  if (right?.isDerived !== true) return right;
  return bindings === undefined || roles.some((role) => holdsRight(right, role)) ? undefined : right;
}

/** The service account whose token its requests show. */
export function accountOf({ metadata, spec }: Pod): RefusedRight['account'] {
  return { namespace: metadata?.namespace ?? 'default', name: spec?.serviceAccountName ?? 'default' };
}

/** Which setting of a replica gives its master the password that it lacks. */
function masterPasswordText(facts: PodFacts, container: ContainerFacts, line: string): string {
  if (!OF_REPLICA.test(line)) return '';
  const file = configFile(facts, container);
  const of = file?.origin?.config;
  const text = file === undefined ? undefined : textOf(facts, file);
  // Of a Secret's file the text is not known.
  const mayBeSet = text === undefined || /^[ \t]{0,20}masterauth\b/m.test(text);
  if (of === undefined || mayBeSet) return ' (a replica gives its masterauth)';
  return ` (its configuration ${file?.file ?? ''} of ${of.kind} ${of.name} has no masterauth)`;
}

/** "MASTER aborted replication with an error: NOAUTH" */
const OF_REPLICA = /\bMASTER\b|\breplication\b/;

/** " (service db)", of an address and its port. */
function serviceText({ evidence }: PodFacts, peer: string): string {
  const address = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d{1,5})?$/.exec(peer)?.[1];
  const service =
    address === undefined ? undefined : evidence.services.find(({ clusterIPs }) => clusterIPs.includes(address));
  return service === undefined ? '' : ` (service ${service.name})`;
}

/** What a peer refuses, as far as its words tell. */
function credentialIn(line: string): string {
  if (KEY.test(line)) return 'key';
  if (/\bclient[ _]?secret\b|\binvalid_client\b/i.test(line)) return 'client or its secret';
  if (TOKEN.test(line)) return 'token';
  return ONLY_STATUS.test(line) && !PASSWORD.test(line) ? 'credentials' : 'password or user';
}

/** An answer of HTTP tells no more than that. */
const ONLY_STATUS = /\b401\b|\bunauthori[sz]ed\b|\bUnauthenticated\b/i;
const PASSWORD = /passw|\buser(?:name)?\b|login/i;

/** A right that goes with what the caller shows, and not with a user whom a database knows. */
const OF_HTTP = /\b403\b|\bscope\b/i;

/** Where what was refused comes from; who has no rule, or gave nothing, is not refused for that. */
function sourceText(facts: PodFacts, container: ContainerFacts, line: string): string {
  if (OWN_ADDRESS.test(line) || UNKNOWN_CALLER.test(line)) return '';
  return credentialSource(facts, container, credentialIn(line));
}

const KEY =
  /\(publickey\b|\b(?:api|access|account|license|signing)[ _-]?key\b|\bInvalidAccessKeyId\b|\bSignatureDoesNotMatch\b/i;
const TOKEN =
  /\b(?:jwt|signature (?:verification|validation)|invalid signature|bearer|(?:access|auth|id|refresh|api|session)[ _-]?token|token (?:is |has )?(?:invalid|expired)|invalid token)\b/i;

/** ", since Secret db changed 3m ago: …": the old value is still in its environment, or the peer still has the old one. */
function changeText({ now }: PodFacts, change: ConfigChange | undefined): string {
  if (change === undefined) return '';
  const { kind, name, how, atMs, isNewer, asVariable } = change;
  const when = `after ${kind} ${name} ${how} ${formatAge(now - atMs)} ago`;
  if (isNewer && asVariable) return ` ${when} (it has the old value, because variables are read at its start)`;
  return ` ${when}${isNewer ? '' : ' (it has the new value; the peer may still have the old one)'}`;
}

/** A proxy that refuses what is asked through it. */
const BY_PROXY =
  /\bProxyError\b|Tunnel connection failed|CONNECT tunnel failed|Received HTTP code 4\d\d from proxy|Proxy Authentication Required|\b407\b/i;

/** The proxy of its variables, where the line says that one refused. */
function proxyOf({ environment }: ContainerFacts, line: string): string | undefined {
  if (!BY_PROXY.test(line)) return undefined;
  const named = environment.filter(({ name }) => /^(?:https?|all)_proxy$/i.test(name));
  const peers = new Set(environmentPeers(named).map(peerText));
  return peers.size === 1 ? [...peers][0] : undefined;
}

/** The peer that the lines name, unless the line that is told names it itself; else the only one of the environment. */
function peerOf(container: ContainerFacts, word: LastWord): string | undefined {
  for (const each of linesAround(container, word)) {
    // PostgreSQL names the host of the client.
    const line = each.replace(OWN_ADDRESS, '');
    if (OF_CLIENT.test(line)) continue;
    const [url] = urlPeers(line);
    const peer = url ?? peerIn(line);
    const isNamed = url !== undefined || peer.port !== undefined || REFUSED_BY_SSH.test(line);
    if (peer.host !== undefined && isNamed) return peerText({ host: peer.host, port: peer.port });
  }
  const named = new Set(variablePeers(container).map(peerText));
  const only = named.size === 1 ? [...named][0] : undefined;
  const sure = surePeer(container);
  return only ?? (sure === undefined ? undefined : peerText(sure));
}

/** A line that begins with the address of a client, as access logs and PHP's own server have it. */
const OF_CLIENT = /^(?:\[[^\]]{1,60}\] )?(?:\d{1,3}\.){3}\d{1,3}:\d{1,5} (?:\[\d{3}\]|Accepted|Closing)/;

/** "deployments.apps", "deployments.apps/scale" */
function canI({ resource, group = '' }: RefusedRight): string {
  const [base = '', ...sub] = resource.split('/');
  return [group === '' ? base : `${base}.${group}`, ...sub].join('/');
}

function commands(
  facts: PodFacts,
  container: ContainerFacts,
  { change, right }: { readonly change: ConfigChange | undefined; readonly right: RefusedRight | undefined },
): readonly string[] {
  const { commands: make, name } = facts;
  const log =
    container.death === undefined ? make.kubectl('logs', name, '-c', container.name) : commandForLog(facts, container);
  if (right !== undefined) {
    const { account, verb, namespace } = right;
    const resource = canI(right);
    const user = `--as=system:serviceaccount:${account.namespace}:${account.name}`;
    const where = namespace === undefined ? ['-A'] : ['-n', namespace];
    const [role, ...others] = (facts.evidence.roles ?? []).filter((one) => one.rules !== undefined);
    const edit =
      role === undefined || others.length > 0
        ? []
        : [
            make.cluster(
              'edit',
              `${role.kind.toLowerCase()}/${role.name}`,
              ...(role.namespace === undefined ? [] : ['-n', role.namespace]),
            ),
          ];
    return [make.cluster('auth', 'can-i', verb, resource, user, ...where), ...edit, log];
  }
  if (change === undefined) return [log, ...make.edit];
  const object = `${change.kind.toLowerCase()}/${change.name}`;
  return change.isNewer && change.asVariable
    ? [make.mendlet('restart', `pod/${name}`), log]
    : [make.kubectl('describe', object), log];
}
