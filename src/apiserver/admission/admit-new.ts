/** Admission of new objects as far as it depends on other objects: reads those, and leaves the decisions to pure functions. */
import {
  defaultClass,
  LIMIT_RANGES,
  type LimitRange,
  type PersistentVolumeClaim,
  type Pod,
  PRIORITY_CLASSES,
  type PriorityClass,
  type Resource,
  RUNTIME_CLASSES,
  type RuntimeClass,
  STORAGE_CLASSES,
  type StorageClass,
} from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import type { Call, ServerContext } from '../call.ts';
import { listCurrent, readCurrent } from '../registry/read-current.ts';
import { profilesFromAnnotations } from './app-armor.ts';
import { admitNewClaim, asksForMoreRoom, refuseGrowth } from './claims.ts';
import { admitLimitRanges, refuseOutsideLimits } from './limit-ranges.ts';
import { taintNewNode } from './new-nodes.ts';
import { isMirrorPod } from './node-restriction.ts';
import { admitPriority, admitPriorityClass } from './priority.ts';
import { admitRuntimeClass } from './runtime-class.ts';
import { mountToken } from './service-account-token.ts';
import { accountOf, admitServiceAccount } from './service-accounts.ts';

const TOKEN_SUFFIX_LENGTH = 5;

/** Throws 403 for what may not be. In upstream's order of plugins. */
export async function admitNew(call: Call, object: ApiObject): Promise<ApiObject> {
  const { server } = call;
  const { group, resource } = call.registration.row;
  if (resource === PRIORITY_CLASSES.resource && group === PRIORITY_CLASSES.group)
    admitPriorityClass(object, await listOf<PriorityClass>(server, PRIORITY_CLASSES));
  if (group === '' && resource === 'nodes' && server.writes.admission.taintNewNodes) return taintNewNode(object);
  if (group === '' && resource === 'persistentvolumeclaims')
    return admitNewClaim(object, defaultClass(await listOf<StorageClass>(server, STORAGE_CLASSES)));
  if (group !== '' || resource !== 'pods') return object;
  const { namespace } = object.metadata;
  const { object: profiled, warnings } = profilesFromAnnotations(object);
  call.warnings.push(...warnings);
  const limited = admitLimitRanges(profiled, await listOf<LimitRange>(server, LIMIT_RANGES, namespace));
  const accounted = await withAccount(server, limited);
  const ranked = admitPriority(accounted, await listOf<PriorityClass>(server, PRIORITY_CLASSES));
  // A mirror's static pod runs already, whatever its runtime class says.
  return isMirrorPod(ranked) ? ranked : admitRuntimeClass(ranked, await runtimeClassOf(server, ranked));
}

/** Admission of changes: a property that only one object may have cannot be gained by a change either. */
export async function admitChanged(call: Call, object: ApiObject): Promise<void> {
  const { group, resource } = call.registration.row;
  if (resource === PRIORITY_CLASSES.resource && group === PRIORITY_CLASSES.group)
    admitPriorityClass(object, await listOf<PriorityClass>(call.server, PRIORITY_CLASSES));
}

/** A claim grows only where that may be. Asked after the change was found valid, as upstream's validating plugins are. */
export async function admitGrowth({ server, registration }: Call, object: ApiObject, old: ApiObject): Promise<void> {
  const { group, resource } = registration.row;
  const claim = object as PersistentVolumeClaim;
  if (group !== '' || resource !== 'persistentvolumeclaims' || !asksForMoreRoom(claim, old)) return;
  const className = claim.spec?.storageClassName ?? '';
  const [storageClass, volume] = await Promise.all([
    readCurrent(server, STORAGE_CLASSES.resource, undefined, className, STORAGE_CLASSES.group),
    readCurrent(server, 'persistentvolumes', undefined, claim.spec?.volumeName ?? ''),
  ]);
  refuseGrowth(old, storageClass as StorageClass | undefined, volume);
}

/** A pod whose containers get other resources stays within its namespace's limits. */
export async function admitResize({ server }: Call, object: ApiObject): Promise<void> {
  refuseOutsideLimits(object, await listOf<LimitRange>(server, LIMIT_RANGES, object.metadata.namespace));
}

/** All objects of a kind. */
// The caller's resource names the type.
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters
async function listOf<T extends object>(
  server: ServerContext,
  resource: Resource<T>,
  namespace?: string,
): Promise<readonly T[]> {
  const registration = server.registry.get(resource);
  return (await listCurrent(server, registration, namespace)) as readonly unknown[] as readonly T[];
}

async function runtimeClassOf(server: ServerContext, object: ApiObject): Promise<RuntimeClass | undefined> {
  const name = (object as Pod).spec?.runtimeClassName ?? '';
  if (name === '') return undefined;
  const found = await readCurrent(server, RUNTIME_CLASSES.resource, undefined, name, RUNTIME_CLASSES.group);
  return found as RuntimeClass | undefined;
}

/** A new pod as its service account leaves it. */
async function withAccount(server: ServerContext, object: ApiObject): Promise<ApiObject> {
  const name = accountOf(object);
  if (name === undefined) return object;
  const account = await readCurrent(server, 'serviceaccounts', object.metadata.namespace, name);
  const admitted = admitServiceAccount(object, name, account);
  // Without a signing key nothing could fill the volume, and the pod would wait for it for ever.
  if (server.tokens === undefined) return admitted;
  return mountToken(admitted, account, server.ports.random.suffix(TOKEN_SUFFIX_LENGTH));
}
