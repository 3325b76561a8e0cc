/** Gathers what is known of a pod that serves behind a service: where it listens, what it uses of ConfigMaps and Secrets, and what it logs. */
import { controllerOf, isConditionTrue, type Pod, PODS } from '../../api/index.ts';
import {
  configMapsOf,
  type ServerBehind,
  type ServerWanted,
  TEMPLATE_HASH,
  variableSecrets,
} from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { gatherConfigs } from './gather-configs.ts';
import { gatherListening } from './gather-listening.ts';
import { labelsText } from './gather-services.ts';
import { MAX_SERVICES } from './limits.ts';

/** The first pod of the service that is ready; undefined: none is, or they cannot be listed. */
export async function gatherServer(
  asker: Asker,
  { service: { namespace, selector = {} }, listening, configs, secrets }: ServerWanted,
  linesOf: (pod: Pod, container: string) => Promise<readonly string[] | undefined>,
): Promise<ServerBehind | undefined> {
  const labelSelector = labelsText(Object.entries(selector));
  if (labelSelector === '') return undefined;
  const pods = await asker.list(`pods with ${labelSelector}`, PODS, { namespace, labelSelector, limit: MAX_SERVICES });
  const pod = pods.find(({ status }) => isConditionTrue(status?.conditions, 'Ready'));
  if (pod === undefined) return undefined;
  const owner = ownerOf(pod);
  const [container] = pod.spec?.containers ?? [];
  const [heard, lines, maps] = await Promise.all([
    listening ? gatherListening(asker, pod) : undefined,
    secrets && container !== undefined ? linesOf(pod, container.name) : undefined,
    configs
      ? gatherConfigs(asker, namespace, secrets ? [...configMapsOf(pod), ...variableSecrets(pod)] : configMapsOf(pod))
      : undefined,
  ]);
  return {
    pod,
    ...(owner !== undefined && { owner }),
    ...(heard && { listening: heard.ports }),
    ...(lines && { lines }),
    ...(maps && { configs: maps }),
  };
}

/** "deployment/web": a ReplicaSet of a Deployment has that one's name and a hash. */
function ownerOf(pod: Pod): string | undefined {
  const { kind, name = '' } = controllerOf(pod) ?? {};
  if (kind === undefined || kind === 'Node') return undefined;
  const hash = pod.metadata?.labels?.[TEMPLATE_HASH];
  const isOfDeployment = kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`);
  return isOfDeployment ? `deployment/${name.slice(0, -hash.length - 1)}` : `${kind.toLowerCase()}/${name}`;
}
