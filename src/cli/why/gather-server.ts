/** Gathers what is known of a pod that serves behind a service: where it listens, what it uses of ConfigMaps and Secrets, and what it logs. */
import { isConditionTrue, type Pod, PODS } from '../../api/index.ts';
import {
  certificateMount,
  type ConfigEvidence,
  configMapsOf,
  type ConfigReference,
  type PausedContainer,
  type ServerBehind,
  type ServerWanted,
  ownerOf,
  variableSecrets,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherConfigs } from './gather-configs.ts';
import { gatherHeld } from './gather-held.ts';
import { gatherListening } from './gather-listening.ts';
import { labelsText } from './gather-services.ts';
import { MAX_SERVICES } from './limits.ts';

/** The first pod of the service that is ready; undefined: none is, or they cannot be listed. */
export async function gatherServer(
  asker: Asker,
  wanted: ServerWanted,
  linesOf: (pod: Pod, container: string) => Promise<readonly string[] | undefined>,
): Promise<ServerBehind | undefined> {
  const { service, listening, lines: wantsLines, held } = wanted;
  const { namespace, selector = {} } = service;
  const labelSelector = labelsText(Object.entries(selector));
  if (labelSelector === '') return undefined;
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const ready = pods.filter(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
  const stopped = held ? await firstHeld(asker, ready.slice(0, MAX_SERVICES)) : undefined;
  const pod = stopped?.pod ?? ready[0];
  if (pod === undefined) return undefined;
  const owner = ownerOf(pod);
  const others = [...new Set(ready.flatMap((each) => ownerOf(each) ?? []))].filter((each) => each !== owner);
  const [container] = pod.spec?.containers ?? [];
  const [heard, lines, maps] = await Promise.all([
    listening ? gatherListening(asker, pod) : undefined,
    wantsLines && container !== undefined ? linesOf(pod, container.name) : undefined,
    gatherReferences(asker, namespace, referencesOf(pod, wanted)),
  ]);
  return {
    pod,
    ...(owner !== undefined && { owner }),
    ...(others.length > 0 && { others }),
    ...(stopped && { paused: stopped.paused }),
    ...(heard && { listening: heard.ports }),
    ...(lines && { lines }),
    ...(maps && { configs: maps }),
  };
}

function referencesOf(pod: Pod, { configs, secrets, certificate }: ServerWanted): readonly ConfigReference[] {
  const mount = certificate ? certificateMount(pod, pod.spec?.containers ?? []) : undefined;
  return [
    ...(configs ? configMapsOf(pod) : []),
    ...(configs && secrets ? variableSecrets(pod) : []),
    ...(mount === undefined ? [] : [{ kind: 'Secret' as const, name: mount.secret }]),
  ];
}

function gatherReferences(
  asker: Asker,
  namespace: string,
  references: readonly ConfigReference[],
): Promise<readonly ConfigEvidence[]> | undefined {
  return references.length === 0 ? undefined : gatherConfigs(asker, namespace, references);
}

interface HeldPod {
  readonly pod: Pod;
  readonly paused: PausedContainer;
}

/** The first of the pods with a container that somebody holds from running. */
async function firstHeld(asker: Asker, pods: readonly Pod[]): Promise<HeldPod | undefined> {
  const found = await Promise.all(
    pods.map(async (pod): Promise<HeldPod | undefined> => {
      const { held = {}, stopped = {} } = (await gatherHeld(asker, pod)) ?? {};
      const [container] = [...Object.keys(held), ...Object.keys(stopped)];
      if (container === undefined) return undefined;
      const [hold, process] = [held[container], stopped[container]];
      return { pod, paused: { container, ...(hold && { hold }), ...(process && { stopped: process }) } };
    }),
  );
  return found.find((each) => each !== undefined);
}
