/** Describes what is still missing until the fleet is as its objects say; undefined when nothing is. Pure. */
import { isDeleting, type KubeObject, namespacedName, type Node } from '../../api/index.ts';
import type { Fleet } from './fleet.ts';
import { isEvicted } from './invariants/no-eviction-storm.ts';

export function notYetWell(fleet: Fleet): string | undefined {
  return (
    unreadyNode(fleet) ??
    firstOf(fleet.stored.deployments.list(), ({ spec, status, metadata }) => {
      const replicas = spec?.replicas ?? 1;
      const counts = [status?.replicas ?? 0, status?.updatedReplicas ?? 0, status?.availableReplicas ?? 0];
      if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return 'is not observed';
      return counts.every((count) => count === replicas) ? undefined : `has ${counts.join('/')} of ${replicas}`;
    }) ??
    firstOf(fleet.stored.statefulSets.list(), ({ spec, status, metadata }) => {
      const replicas = spec?.replicas ?? 1;
      const counts = [status?.replicas ?? 0, status?.updatedReplicas ?? 0, status?.readyReplicas ?? 0];
      if ((status?.observedGeneration ?? 0) < (metadata?.generation ?? 0)) return 'is not observed';
      return counts.every((count) => count === replicas) ? undefined : `has ${counts.join('/')} of ${replicas}`;
    }) ??
    firstOf(fleet.stored.daemonSets.list(), ({ status }) => {
      const wanted = fleet.nodes.length;
      const {
        desiredNumberScheduled = 0,
        numberReady = 0,
        updatedNumberScheduled = 0,
        numberMisscheduled = 0,
      } = status ?? {};
      const well = [desiredNumberScheduled, numberReady, updatedNumberScheduled].every((count) => count === wanted);
      return well && numberMisscheduled === 0 ? undefined : `has ${JSON.stringify(status)} of ${wanted}`;
    }) ??
    firstOf(fleet.stored.jobs.list(), ({ spec, status }) => {
      const complete = status?.conditions?.some(({ type, status: value }) => type === 'Complete' && value === 'True');
      if (complete !== true) return `is not complete: ${JSON.stringify(status)}`;
      return status?.succeeded === (spec?.completions ?? 1) ? undefined : `counted ${status?.succeeded}`;
    }) ??
    strayPod(fleet) ??
    wrongRoute(fleet)
  );
}

/** What still exists after everything was deleted. */
export function notYetGone(fleet: Fleet): string | undefined {
  const { stored } = fleet;
  const left = [
    stored.deployments,
    stored.statefulSets,
    stored.daemonSets,
    stored.jobs,
    stored.replicaSets,
    stored.pods,
  ]
    .flatMap((kind): readonly KubeObject[] => kind.list())
    .map((object) => `${object.kind} ${namespacedName(object)} is still there`);
  return left[0] ?? strayPod(fleet);
}

function unreadyNode({ stored, nodes }: Fleet): string | undefined {
  if (stored.nodes.objects.size < nodes.length) return `${stored.nodes.objects.size} of ${nodes.length} nodes`;
  return firstOf(stored.nodes.list(), (node) => {
    if (isEvicted(node)) return 'is tainted';
    return isReady(node) ? undefined : 'is not Ready';
  });
}

function isReady({ status }: Node): boolean {
  return status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;
}

/** A pod that runs and should not, or that should run and does not. */
function strayPod({ stored, facts }: Fleet): string | undefined {
  for (const { key, uid, node } of facts.running.values()) {
    const pod = stored.pods.objects.get(key);
    if (pod?.metadata?.uid !== uid) return `${key} runs on ${node} and is no pod any more`;
  }
  return firstOf(stored.pods.list(), (pod) => (isDeleting(pod) ? 'is still being deleted' : undefined));
}

/** A node with a missing or wrong route to the pods of another one. */
function wrongRoute({ stored, nodes }: Fleet): string | undefined {
  for (const { name, network } of nodes) {
    const found = [...network.routes.values()].map(({ dst, gateway }) => `${dst} via ${gateway}`);
    const others = nodes.filter((other) => other.name !== name);
    const wanted = others.map((other) => {
      return `${stored.nodes.objects.get(other.name)?.spec?.podCIDR} via ${other.network.address}`;
    });
    const missing = wanted.find((route) => !found.includes(route)) ?? found.find((route) => !wanted.includes(route));
    if (missing !== undefined) return `${name} has a wrong route, or none: ${missing}`;
    const rules = [...network.rules.values()].flat().join('\n');
    const masked = others.find(
      (other) => !rules.includes(`-d ${stored.nodes.objects.get(other.name)?.spec?.podCIDR} -j RETURN`),
    );
    if (masked !== undefined) return `${name} hides its pods from those of ${masked.name}`;
  }
  return undefined;
}

function firstOf<T extends KubeObject>(
  objects: readonly T[],
  missing: (object: T) => string | undefined,
): string | undefined {
  for (const object of objects) {
    const what = missing(object);
    if (what !== undefined) return `${object.kind} ${namespacedName(object)} ${what}`;
  }
  return undefined;
}
