/** Tells with what a server said to a container which setting, password or log line of the server is behind it. Pure. */
import { isOfProbe, lastFailure, losesLink, maskSecrets, throwsOut } from '../../../log-analysis/index.ts';
import type { RankedFinding } from '../../finding.ts';
import type { ContainerFacts } from '../pod/container-facts.ts';
import { withFirstsOf } from '../pod/first-ends.ts';
import { pausedBehind } from '../pod/paused.ts';
import type { PodFacts } from '../pod/pod-facts.ts';
import { listed, quotable, shellWord } from '../words/text.ts';
import { serverOf, wordsOfPeer } from './server-peers.ts';
import { refusalReason } from './server-reasons.ts';
import { passwordBehind } from './server-passwords.ts';
import { serverObject, settingBehind, type ToldOfServer } from './server-settings.ts';
import { shownMark } from './credential-sources.ts';
import { olderSecretText } from './older-server.ts';
import { plainUser, userRefused } from './peer-settings.ts';
import { usersText } from './server-users.ts';
import type { ServiceEvidence } from '../../evidence/pod-evidence.ts';

/** What the server logs of the login that it refuses, and what it has instead of the password. */
function passwordTold(
  facts: PodFacts,
  container: ContainerFacts,
  { id }: RankedFinding,
  service: ServiceEvidence,
): ToldOfServer | undefined {
  const { name, server } = service;
  if (server === undefined || id !== 'authentication-refused') return undefined;
  const mark = shownMark(facts, container, 'password or user');
  const user = userRefused(wordsOfPeer(container));
  const has = mark === undefined ? undefined : passwordBehind(server, { mark, user });
  const reason = refusalReason(server.lines ?? [], user);
  const other = has ?? olderSecretText(facts, container, service) ?? usersText(server, user ?? plainUser(container));
  const told = [...(reason === undefined ? [] : [`says: ${reason}`]), ...(other === undefined ? [] : [other])];
  const object = serverObject(server);
  return told.length === 0 ? undefined : { says: `${object} behind service ${name} ${told.join(', and ')}`, object };
}

/** An answer that says no more than that the server's own log tells why. */
const POINTS_TO_LOG =
  /\bMISCONF\b|\b(?:check|see|consult|look (?:at|into)) (?:the )?(?:\w+ ){0,2}(?:server(?:'s)? )?(?:error )?logs?\b|\bINTERNAL(?:_| )SERVER(?:_| )ERROR\b|could not write to file|\bPANIC\b|prematurely closed|reset by peer|\bECONNRESET\b|empty reply|RemoteDisconnected|socket hang up|closed (?:the )?connection|Blocked connection|low on memory|\bChannel is closed\b|\bChannel(?:Wrong|Invalid)StateError\b|\bChannelClosed(?:ByBroker)?\b|\bChannelShutdown/i;

export function pointsToLog(line: string): boolean {
  return POINTS_TO_LOG.test(line) || losesLink(line);
}

/** What brokers say while they take nothing. */
const ALARM = /\b(?:memory|disk|resource)\b.{0,60}\b(?:alarm|limit)\b|high watermark|publishers will be blocked/i;

const IS_BLOCKED =
  /\bblocked connection\b|\bconnection (?:was |is )?blocked\b|\bConnectionBlocked|\blow on (?:disk|memory)\b/i;

/** What the server says last of its own trouble. */
function troubleTold(container: ContainerFacts, { name, server }: ServiceEvidence): ToldOfServer | undefined {
  if (server?.lines === undefined || !wordsOfPeer(container).some(pointsToLog)) return undefined;
  const alarm = server.lines.filter((line) => ALARM.test(line));
  // Its other troubles do not keep a broker from taking what it is given.
  if (alarm.length === 0 && wordsOfPeer(container).some((line) => IS_BLOCKED.test(line))) return undefined;
  const own = server.lines.filter((line) => !isOfProbe(line));
  const thrownOut = own.findLast((line) => throwsOut(line));
  if (thrownOut !== undefined)
    return {
      says: `${serverObject(server)} behind service ${name} says: ${quotable(maskSecrets(thrownOut)).replace(/\.+$/, '')}`,
      object: serverObject(server),
    };
  const said = alarm.length > 0 ? lastFailure(alarm) : lastFailure(own);
  const object = serverObject(server);
  return said && { says: `${object} behind service ${name} says: ${said.line.replace(/\.+$/, '')}`, object };
}

/** The finding, with the peer whose container is paused, and how it goes on. */
function pausedFinding(
  { commands }: PodFacts,
  finding: RankedFinding,
  { namespace, name, server }: ServiceEvidence,
  { says, container, hold, stopped }: NonNullable<ReturnType<typeof pausedBehind>>,
): RankedFinding {
  const pod = server?.pod.metadata?.name ?? '';
  const goOn = ['exec', pod, '-n', namespace, '-c', container, '--', 'kill', '-CONT', String(stopped?.pid ?? 1)];
  return {
    ...finding,
    fallback: false,
    says: `${finding.says}; ${says}`,
    blames: { service: `${namespace}/${name}`, says, pod },
    evidence: [
      ...finding.evidence,
      {
        source: 'object',
        object: `container ${container} of pod/${pod}, as its node sees it now`,
        says: hold ?? 'stopped',
      },
    ],
    try: [
      ...(hold === undefined || hold === 'stopped' ? [commands.cluster(...goOn)] : []),
      `mendlet restart ${shellWord(`pod/${pod}`)} -n ${shellWord(namespace)}`,
      ...finding.try,
    ],
  };
}

/** "service cache leads to pods of deployment/cache and deployment/cache-replica", which may not be meant for the same requests. */
function mixedText({ name, server }: ServiceEvidence): string | undefined {
  const { owner, others = [] } = server ?? {};
  return owner === undefined || others.length === 0
    ? undefined
    : `service ${name} leads to pods of ${listed([owner, ...others])}`;
}

/** Causes that no setting of a peer has to do with. */
const UNRELATED =
  /^(?:out-of-memory|child-out-of-memory|sandbox-lost|died-together|signal|port-in-use|permission-denied|missing-binary|missing-module|dependency-not-.*|c-library-.*|volume-.*|held)$/;

/** What the server says of its own trouble, with the setting behind that; the setting alone where the finding has those words already. */
function troubleOrSetting(
  { evidence: { now } }: PodFacts,
  container: ContainerFacts,
  { id, says }: RankedFinding,
  service: ServiceEvidence,
): ToldOfServer | undefined {
  const trouble = troubleTold(container, service);
  const words = trouble === undefined ? undefined : / says: (.{20,})$/.exec(trouble.says)?.[1];
  const setting = settingBehind(service, [...(words === undefined ? [] : [words]), ...wordsOfPeer(container)], id, now);
  // One that is its own peer, as a member of a cluster is, has told it already.
  if (setting !== undefined && says.includes(setting.says.replace(/^.{1,300}? behind service \S{1,300} /, '')))
    return trouble;
  if (trouble === undefined || (words !== undefined && says.includes(words))) return setting;
  const has = setting?.says.replace(/^.{1,300}? behind service \S{1,300} /, '');
  return has === undefined ? trouble : { ...trouble, says: `${trouble.says}, and ${has}` };
}

/** The findings; the first of each container about its end, or about why it is not ready, says what its server is set to. */
export function withServers(facts: PodFacts, found: readonly RankedFinding[]): readonly RankedFinding[] {
  const tell = (container: ContainerFacts, finding: RankedFinding): RankedFinding => {
    if (UNRELATED.test(finding.id)) return finding;
    const service = serverOf(facts.evidence, container);
    const paused = service && pausedBehind(service);
    if (service !== undefined && paused !== undefined) return pausedFinding(facts, finding, service, paused);
    const told =
      service &&
      (passwordTold(facts, container, finding, service) ?? troubleOrSetting(facts, container, finding, service));
    const mixed = service === undefined ? undefined : mixedText(service);
    if (service === undefined || told === undefined)
      return mixed === undefined ? finding : { ...finding, says: `${finding.says}; ${mixed}` };
    return {
      ...finding,
      says: [finding.says, told.says, ...(mixed === undefined ? [] : [mixed])].join('; '),
      evidence: [
        ...finding.evidence,
        { source: 'object', object: told.object, says: `serves service ${service.name}` },
      ],
      try: [...finding.try, facts.commands.cluster('edit', told.object, '-n', service.namespace)],
    };
  };
  return withFirstsOf('ready', facts, withFirstsOf('end', facts, found, tell), tell);
}
