/**
 * Tells pods in a back-off that a dependency (`mendlet.dev/depends-on`) became ready. Agents may not read endpoints, and need
 * not: the signal is an annotation of their own pods. Keys are pods that name a dependency.
 */
import {
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  type EndpointSlice,
  formatRecoverySignal,
  type KubeObject,
  nameOf,
  namespaceOf,
  type ObjectDependency,
  type Pod,
  PODS,
  RECOVERY,
  SERVICES,
  STATEFUL_SETS,
} from '../../api/index.ts';
import { type Change, type Lister, objectKey, type Informers } from '../../client/index.ts';
import { type Clock, fullBucket, reserve, type TokenBucket } from '../../lib/index.ts';
import { SERVICE_NAME_LABEL } from '../endpointslice/slice-operations.ts';
import { BY_CONTROLLER } from '../indexes.ts';
import { type Controller, type ControllerSource, source } from '../controller.ts';
import { annotatePod } from './annotate-pod.ts';
import { type DependencyView, readinessOf } from './dependency-readiness.ts';
import { Dependents, objectsNamedBy, targetOf } from './dependents.ts';
import { MIN_SIGNAL_INTERVAL_MS, SIGNAL_BUCKET } from './limits.ts';
import { planRecovery, type ReadyDependency } from './plan-recovery.ts';

export function recoveryController(informers: Informers, clock: Clock): Controller {
  const services = informers.lister(SERVICES);
  const slices = informers.lister(ENDPOINT_SLICES);
  const pods = informers.lister(PODS);
  const deployments = informers.lister(DEPLOYMENTS);
  const statefulSets = informers.lister(STATEFUL_SETS);
  const listers: readonly Pick<Lister<KubeObject>, 'synced'>[] = [services, slices, pods, deployments, statefulSets];
  const view: DependencyView = {
    service: (namespace, name) => services.get(namespace, name),
    slices: (namespace, service) => slices.list(namespace).filter((slice) => serviceOf(slice) === service),
    pod: (namespace, name) => pods.get(namespace, name),
    deployment: (namespace, name) => deployments.get(namespace, name),
    statefulSet: (namespace, name) => statefulSets.get(namespace, name),
    podsOf: (uid) => pods.byIndex(BY_CONTROLLER, uid),
  };
  const dependents = new Dependents();
  const signals = new Map<string, Signals>();

  const observe = (dependency: ObjectDependency): number | undefined =>
    dependents.observe(dependency, readinessOf(dependency, view), clock.now().wall);
  /** Looked at now, not when its pods' turn comes: a dependency that is gone again by then was ready nevertheless. */
  const changed = (kind: ObjectDependency['kind'], namespace: string, name: string): readonly string[] => {
    const target = targetOf({ kind, namespace, name });
    // Before all has been listed, what is missing may only not have been seen.
    if (listers.every(({ synced }) => synced)) for (const dependency of dependents.seen(target)) observe(dependency);
    return dependents.of(target);
  };
  const podChanged = (change: Change<Pod>): readonly string[] => {
    const key = objectKey(change.object);
    const named = change.type === 'delete' ? [] : objectsNamedBy(change.object);
    dependents.set(key, named);
    if (change.type === 'delete') signals.delete(key);
    const others = changed('Pod', namespaceOf(change.object), nameOf(change.object));
    return named.length === 0 ? others : [key, ...others];
  };
  const ofKind = (kind: ObjectDependency['kind']) => (change: Change<KubeObject>) =>
    changed(kind, namespaceOf(change.object), nameOf(change.object));
  const sources: readonly ControllerSource[] = [
    source(PODS, podChanged),
    source(ENDPOINT_SLICES, ({ object }) => changed('Service', namespaceOf(object), serviceOf(object))),
    source(SERVICES, ofKind('Service')),
    source(DEPLOYMENTS, ofKind('Deployment')),
    source(STATEFUL_SETS, ofKind('StatefulSet')),
  ];
  return {
    name: 'healing-recovery',
    sources,
    reconcile: async (key, context) => {
      const pod = pods.getByKey(key);
      if (pod === undefined) return undefined;
      const ready = objectsNamedBy(pod).flatMap((dependency): readonly ReadyDependency[] => {
        const since = observe(dependency);
        return since === undefined ? [] : [{ text: dependency.text, since }];
      });
      const now = clock.now();
      const signal = planRecovery(pod, ready, now.wall);
      if (signal === undefined) return undefined;
      const pace = nextSignal(signals.get(key), now.mono);
      if (pace.waitMs > 0) return { requeueAfterMs: pace.waitMs };
      signals.set(key, pace.signals);
      await context.write(annotatePod(pod, { [RECOVERY]: formatRecoverySignal(signal) }));
      return undefined;
    },
  };
}

/** The signals of one pod: a dependency that comes and goes is no reason to write for ever. Mono ms. */
interface Signals {
  readonly last: number;
  readonly bucket: TokenBucket;
}

function nextSignal(before: Signals | undefined, mono: number): { readonly waitMs: number; readonly signals: Signals } {
  const bucket = before?.bucket ?? fullBucket(SIGNAL_BUCKET, mono);
  const reserved = reserve(bucket, SIGNAL_BUCKET, mono);
  const apart = before === undefined ? 0 : before.last + MIN_SIGNAL_INTERVAL_MS - mono;
  return { waitMs: Math.max(reserved.delayMs, apart), signals: { last: mono, bucket: reserved.bucket } };
}

function serviceOf({ metadata }: EndpointSlice): string {
  return metadata?.labels?.[SERVICE_NAME_LABEL] ?? '';
}
