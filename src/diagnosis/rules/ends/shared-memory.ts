/** Rule: shared memory is full: that is /dev/shm of the pod in which the server runs, whoever prints its error, and no disk. */
import { anyOf } from '../../../log-analysis/index.ts';
import type { ContainerFacts } from '../../facts/pod/container-facts.ts';
import { serviceOfHost } from '../../facts/peers/dependencies.ts';
import { endedByItself, type LastWord, lastWord, rankOfWord } from '../../facts/words/last-words.ts';
import { type MountedVolume, volumeOf } from '../../facts/files/mounts.ts';
import { peerOfWord } from '../../facts/peers/peer-blame.ts';
import type { PodFacts } from '../../facts/pod/pod-facts.ts';
import { serverOf } from '../../facts/servers/server-peers.ts';
import { commandText } from '../../facts/peers/spec-peers.ts';
import { quotable } from '../../facts/words/text.ts';
import type { Quote, RankedFinding } from '../../finding.ts';
import { eachContainer, type PodRule } from '../../rule.ts';
import { commandForLog, explainedEnd, title } from './exit-code.ts';

export const SHARED_MEMORY_FULL = anyOf(
  /could not resize shared memory segment\b.{0,200}no space left/i,
  /\bshared memory\b.{0,160}(?:no space left|\bENOSPC\b)/i,
  /(?:no space left|\bENOSPC\b).{0,120}(?:shared memory|\/dev\/shm\/)/i,
  /\/dev\/shm\/.{0,200}(?:no space left|\bENOSPC\b)/i,
  /\bout of shared memory\b.{0,120}\bshared memory limit\b/i,
  /insufficient shared memory \(shm\)/i,
);
/** What a server prints of itself, and its clients, too. */
const OF_DATABASE = /could not resize shared memory segment/i;
const CLIENT = /\b(?:psql|pg_dump|pg_dumpall|pg_restore|pgbench|pg_isready)\b/;
const SERVER = /postgres|postgis|timescale|patroni|spilo|pgvector/i;

const PATH = '/dev/shm';

export const sharedMemory: PodRule = eachContainer(ofContainer);

function ofContainer(facts: PodFacts, container: ContainerFacts): readonly RankedFinding[] {
  const word = endedByItself(container) ? lastWord(container, SHARED_MEMORY_FULL) : undefined;
  if (word === undefined) return [];
  const line = quotable(word.line)
    .replace(/^(?:ERROR|FATAL|PANIC): +/, '')
    .replace(/\.+$/, '');
  const isOfPeer = OF_DATABASE.test(word.line) && !isServer(container);
  const own = isOfPeer ? undefined : volumeOf(facts, container, PATH);
  return [
    explainedEnd(facts, container, {
      id: 'no-space',
      rank: rankOfWord(86, word),
      says: `${title(container)} ${isOfPeer ? ofServer(facts, container, word) : `has no shared memory left: ${ownText(own)}`}: ${line}`,
      line: word.line,
      more: own?.volume.emptyDir === undefined ? [] : [emptyDirQuote(own)],
      try: [...(isOfPeer ? whyServer(facts, container, word) : facts.commands.edit), commandForLog(facts, container)],
      ...(!isOfPeer && own === undefined && { manifest: manifestFor(container.name) }),
    }),
  ];
}

function isServer({ spec, environment }: ContainerFacts): boolean {
  const text = commandText(spec, environment);
  return !CLIENT.test(text) && SERVER.test(`${spec.image ?? ''} ${text}`);
}

function ofServer(facts: PodFacts, container: ContainerFacts, word: LastWord): string {
  const peer = peerOfWord(container, word);
  const outcome = container.again === undefined ? 'ends' : 'fails';
  return `${outcome}, as its server${peer === undefined ? '' : ` ${peer.host}`} has no shared memory left: ${mountOfServer(facts, container) ?? `${PATH} in the server's pod ${USUAL}`}`;
}

/** "volume dshm of pod db-0, in memory at /dev/shm, of 2Mi, is full", where the server's pod is known and has one there. */
function mountOfServer({ evidence }: PodFacts, container: ContainerFacts): string | undefined {
  const pod = serverOf(evidence, container)?.server?.pod;
  const name = (pod?.spec?.containers ?? [])
    .flatMap(({ volumeMounts = [] }) => volumeMounts)
    .find(({ mountPath }) => mountPath.replace(/\/+$/, '') === PATH)?.name;
  const volume = pod?.spec?.volumes?.find((each) => each.name === name);
  if (pod === undefined || volume === undefined) return undefined;
  const size = volume.emptyDir?.sizeLimit;
  return `volume ${volume.name} of pod ${pod.metadata?.name ?? ''}, at ${PATH}${size === undefined ? '' : `, of ${size}`}, is full`;
}

/** What runtimes give each pod. */
const USUAL = 'has 64Mi, unless an emptyDir with medium Memory is mounted there';

function ownText(own: MountedVolume | undefined): string {
  if (own === undefined) return `${PATH} ${USUAL}`;
  const size = own.volume.emptyDir?.sizeLimit;
  return `its volume ${own.volume.name} at ${own.mountPath}${size === undefined ? '' : `, of ${size},`} is full`;
}

function emptyDirQuote({ path, volume }: MountedVolume): Quote {
  return { source: 'field', path: `${path}.emptyDir`, value: JSON.stringify(volume.emptyDir) };
}

function whyServer({ pod, commands }: PodFacts, container: ContainerFacts, word: LastWord): readonly string[] {
  const namespace = pod.metadata?.namespace ?? 'default';
  const service = serviceOfHost(peerOfWord(container, word)?.host ?? '', namespace);
  return service === undefined
    ? []
    : [commands.cluster('describe', `service/${service.name}`, '-n', service.namespace)];
}

function manifestFor(container: string): string {
  return `containers:\n- name: ${container}\n  volumeMounts:\n  - name: shm\n    mountPath: ${PATH}\nvolumes:\n- name: shm\n  emptyDir:\n    medium: Memory\n    sizeLimit: 256Mi\n`;
}
