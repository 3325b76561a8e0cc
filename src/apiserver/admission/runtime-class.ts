/** RuntimeClass: adds the overhead and the scheduling constraints of its class to a pod. Pure. */
import {
  equalJson,
  forbidden,
  type Pod,
  PODS,
  type PodSpec,
  type RuntimeClass,
  type Toleration,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { shownName } from './shown-name.ts';

/** `found`: the stored object of the pod's class. Throws 403 if they do not fit (upstream: the RuntimeClass plugin). */
export function admitRuntimeClass(object: ApiObject, found: RuntimeClass | undefined): ApiObject {
  const { spec, metadata } = object as Pod;
  if (spec === undefined) return object;
  const refuse = (text: string): never => {
    throw forbidden(PODS, shownName(metadata), text);
  };
  const name = spec.runtimeClassName ?? '';
  if (name !== '' && found === undefined) refuse(`pod rejected: RuntimeClass "${name}" not found`);
  const overhead = found?.overhead?.podFixed;
  if (spec.overhead !== undefined && Object.keys(spec.overhead).length > 0) {
    if (overhead === undefined)
      refuse('pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    else if (!equalJson(spec.overhead, overhead))
      refuse("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
  }
  if (found === undefined) return object;
  const nodeSelector = mergeSelector(spec, found, refuse);
  const tolerations = mergeTolerations(spec.tolerations ?? [], found.scheduling?.tolerations ?? []);
  return {
    ...object,
    spec: {
      ...spec,
      ...(overhead === undefined ? {} : { overhead }),
      ...(nodeSelector === undefined ? {} : { nodeSelector }),
      ...(tolerations.length === 0 ? {} : { tolerations }),
    },
  };
}

function mergeSelector(
  spec: PodSpec,
  { scheduling }: RuntimeClass,
  refuse: (text: string) => never,
): Record<string, string> | undefined {
  const wanted = scheduling?.nodeSelector;
  if (wanted === undefined) return undefined;
  for (const [key, value] of Object.entries(wanted)) {
    const own = spec.nodeSelector?.[key];
    if (own !== undefined && own !== value)
      refuse(
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own}`,
      );
  }
  return { ...spec.nodeSelector, ...wanted };
}

function mergeTolerations(own: readonly Toleration[], added: readonly Toleration[]): Toleration[] {
  return [...own, ...added.filter((toleration) => !own.some((other) => equalJson(other, toleration)))];
}
