/**
 * Finds a queue that one program names and nobody else who uses the same server: what is sent there is never taken, and neither of them
 * tells of an error. Only where the program says that it waits for an outcome, because whom it sends to may be in another namespace. Pure.
 */
import { controllerOf } from '../../api/index.ts';
import { maskSecrets } from '../../log-analysis/index.ts';
import type { Pod } from '../evidence/kinds.ts';
import type { ConfigEvidence, PodEvidence } from '../evidence/pod-evidence.ts';
import { type ConfigText, textsOfMaps } from '../facts/configs/config-texts.ts';
import { allPeers, isItself } from '../facts/peers/dependencies.ts';
import { isOptionalPeer } from '../facts/peers/optional-peers.ts';
import { podFacts } from '../facts/pod/pod-facts.ts';
import { environmentOf } from '../facts/variables/environment.ts';
import { hasWord } from '../facts/words/text.ts';
import { type AgreedName, namesOf } from './agreed-names.ts';

/** What a program says that has sent something and hears nothing of it. */
const WAITS =
  /\bpending\b|\b(?:un|not |never )(?:yet )?(?:acknowledged|answered|confirmed|consumed|delivered|done|finished|handled|processed|received|sent)\b|\bno (?:answer|confirmation|consumers?|reply|response|result)\b|\bstill (?:queued|waiting)\b|\bTimeoutError\b|\bbacklog\b|\b(?:timed out|time-?out|waiting|waited) .{0,30}\b(?:result|reply|response|answer|confirmation)\b/i;
/** So often it is no accident. */
const OFTEN = 3;
const LAST_LINES = 400;
const MAX_PODS = 200;

/** "its variable MAIL_QUEUE is "mails", which no other pod here names; pod worker-1, which uses mq as well, has "default" (…)"; undefined: somebody names it. */
export function unmetName(
  evidence: PodEvidence,
  pods: readonly Pod[],
  configs: readonly ConfigEvidence[],
): string | undefined {
  const { containers, pod } = podFacts(evidence);
  const said = containers.flatMap(({ lines }) => lines.slice(-LAST_LINES)).filter((line) => WAITS.test(line));
  if (said.length < OFTEN) return undefined;
  const own = [...namesOf(pod, configs).filter(({ kind }) => kind === 'queue'), ...queuesInFiles(pod, configs)];
  const owner = controllerOf(pod)?.uid;
  const others = pods
    .filter(({ metadata }) => metadata?.uid !== pod.metadata?.uid)
    .filter((each) => owner === undefined || controllerOf(each)?.uid !== owner)
    .slice(0, MAX_PODS)
    .map((each) => ({ each, texts: textsOf(each, configs), taken: takenTexts(each, configs) }));
  const hosts = containers
    .flatMap((container) => allPeers(container))
    .filter((peer) => !isItself(peer) && !isOptionalPeer(peer))
    .map(({ host }) => host.split('.')[0] ?? host);
  // A name in its code may be a default, which its variable replaces.
  const ownTexts = specTextsOf(pod, configs);
  for (const { value, where } of own) {
    if (others.some(({ taken }) => taken.some((text) => holdsName(text, value)))) continue;
    for (const { each, texts } of others) {
      const shared = hosts.find((host) => texts.some((text) => hasWord(text, host)));
      const theirs = namesOf(each, configs).filter(({ kind }) => kind === 'queue');
      const [other] = theirs;
      if (shared === undefined || other === undefined) continue;
      if (theirs.some((their) => ownTexts.some((text) => holdsName(text, their.value)))) continue;
      return `${where} is ${quoted(value)}, which no other pod here names; pod ${each.metadata?.name ?? ''}, which uses ${shared} as well, has ${quoted(other.value)} (${other.where})`;
    }
  }
  return undefined;
}

/** The name as a whole: "orders" does not stand in "orders.v2", nor in a path. */
function holdsName(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at !== -1; at = text.indexOf(name, at + 1)) {
    if (!/[\w./-]/.test(text[at - 1] ?? ' ') && !/[\w.-]/.test(text[at + name.length] ?? ' ')) return true;
  }
  return false;
}

function quoted(value: string): string {
  return JSON.stringify(maskSecrets(value));
}

/** Where a pod may name a queue: its variables, its commands and the ConfigMaps that are known of it. */
function textsOf(pod: Pod, configs: readonly ConfigEvidence[]): readonly string[] {
  return [...filesOf(pod, configs).map(({ text }) => text), ...specTextsOf(pod, configs)];
}

/** Where a pod may name a queue from which it takes: the files that senders have as well count for nothing beside a list in its command. */
function takenTexts(pod: Pod, configs: readonly ConfigEvidence[]): readonly string[] {
  const hasList = namesOf(pod, configs).some(({ kind, where }) => kind === 'queue' && where.endsWith('of its command'));
  return hasList ? specTextsOf(pod, configs) : textsOf(pod, configs);
}

function filesOf({ spec }: Pod, configs: readonly ConfigEvidence[]): readonly ConfigText[] {
  return textsOfMaps(configs, new Set((spec?.volumes ?? []).flatMap(({ configMap }) => configMap?.name ?? [])));
}

/** '{"queue": "reports"}', "queue='reports'" */
const QUEUE_IN_FILE = /["']?\bqueue["']?\s{0,3}[:=]\s{0,3}["']([\w.-]{3,120})["']/g;

/** The queues to which its files send. */
function queuesInFiles(pod: Pod, configs: readonly ConfigEvidence[]): readonly AgreedName[] {
  return filesOf(pod, configs).flatMap(({ at, text }) =>
    [...text.matchAll(QUEUE_IN_FILE)].map(([, value = '']) => ({
      kind: 'queue',
      value,
      where: `a queue of its ${at}`,
    })),
  );
}

function specTextsOf({ spec }: Pod, configs: readonly ConfigEvidence[]): readonly string[] {
  return (spec?.containers ?? []).flatMap((container) => [
    ...environmentOf(container, configs).map(({ value }) => value),
    [...(container.command ?? []), ...(container.args ?? [])].join(' '),
  ]);
}
