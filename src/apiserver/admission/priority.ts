/** Priority: a pod's class becomes its number and its policy (upstream: the Priority plugin). Pure. */
import {
  forbidden,
  type Pod,
  PODS,
  PRIORITY_CLASSES,
  type PriorityClass,
  SYSTEM_PRIORITY_CLASSES,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { shownName } from './shown-name.ts';

const DEFAULT_POLICY = 'PreemptLowerPriority';

/** `classes`: all that are stored. Throws 403 for a class that does not exist, or numbers of the pod's own. */
export function admitPriority(object: ApiObject, classes: readonly PriorityClass[]): ApiObject {
  const pod = object as Pod;
  if (pod.spec === undefined) return object;
  const found = classOf(pod, classes);
  const priority = found?.value ?? 0;
  const preemptionPolicy = found?.preemptionPolicy ?? DEFAULT_POLICY;
  const { priority: given, preemptionPolicy: givenPolicy } = pod.spec;
  const refuse = (text: string): never => {
    throw forbidden(PODS, shownName(pod.metadata), text);
  };
  if (given !== undefined && given !== priority) {
    refuse(
      `the integer value of priority (${given}) must not be provided in pod spec; priority admission controller computed ${priority} from the given PriorityClass name`,
    );
  }
  if (givenPolicy !== undefined && givenPolicy !== preemptionPolicy) {
    refuse(
      `the string value of PreemptionPolicy (${givenPolicy}) must not be provided in pod spec; priority admission controller computed ${preemptionPolicy} from the given PriorityClass name`,
    );
  }
  const priorityClassName = pod.spec.priorityClassName || (found?.metadata?.name ?? '');
  return {
    ...object,
    spec: { ...pod.spec, ...(priorityClassName === '' ? {} : { priorityClassName }), priority, preemptionPolicy },
  };
}

function classOf(pod: Pod, classes: readonly PriorityClass[]): PriorityClass | undefined {
  const name = pod.spec?.priorityClassName ?? '';
  if (name === '') return defaultClass(classes);
  const found = classes.find((entry) => entry.metadata?.name === name);
  if (found !== undefined) return found;
  // The system's own are known before they are stored.
  const value = Object.hasOwn(SYSTEM_PRIORITY_CLASSES, name) ? SYSTEM_PRIORITY_CLASSES[name] : undefined;
  if (value !== undefined) return { value };
  throw forbidden(PODS, shownName(pod.metadata), `no PriorityClass with name ${name} was found`);
}

/** The class of pods that name none; should there be several, the lowest. */
function defaultClass(classes: readonly PriorityClass[]): PriorityClass | undefined {
  return classes.filter((entry) => entry.globalDefault === true).toSorted((a, b) => (a.value ?? 0) - (b.value ?? 0))[0];
}

/** Throws 403 for a second default. */
export function admitPriorityClass(object: ApiObject, classes: readonly PriorityClass[]): void {
  if ((object as PriorityClass).globalDefault !== true) return;
  const name = object.metadata.name ?? '';
  const other = defaultClass(classes.filter((entry) => entry.metadata?.name !== name));
  if (other === undefined) return;
  const text = `PriorityClass ${other.metadata?.name} is already marked as default. Only one default can exist`;
  throw forbidden(PRIORITY_CLASSES, name, text);
}
