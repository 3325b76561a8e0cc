/**
 * ServiceAccount: a pod may only name an account that exists, and gets the account's pull secrets unless it has its own.
 * The `default` account may be missing for the moment that its controller takes: nothing of it is mounted. Pure.
 */
import { forbidden, type Pod, PODS, type ServiceAccount } from '../../api/index.ts';
import type { ApiObject } from '../registry/object.ts';
import { shownName } from './shown-name.ts';
import { isMirrorPod } from './node-restriction.ts';

const DEFAULT_ACCOUNT = 'default';

/** Name of the account that the pod runs as; undefined for a mirror pod, which has none. */
export function accountOf(object: ApiObject): string | undefined {
  if (isMirrorPod(object)) return undefined;
  const { spec } = object as unknown as Pod;
  return spec?.serviceAccountName || spec?.serviceAccount || DEFAULT_ACCOUNT;
}

/** `account`: the stored object named `name`. Throws 403 when it must exist and does not. */
export function admitServiceAccount(object: ApiObject, name: string, account: ApiObject | undefined): ApiObject {
  const pod = object as unknown as Pod;
  if (account === undefined) {
    if (name === DEFAULT_ACCOUNT) return object;
    const text = `error looking up service account ${object.metadata.namespace}/${name}: serviceaccount "${name}" not found`;
    throw forbidden(PODS, shownName(object.metadata), text);
  }
  const { imagePullSecrets = [] } = account as unknown as ServiceAccount;
  if ((pod.spec?.imagePullSecrets?.length ?? 0) > 0 || imagePullSecrets.length === 0) return object;
  return { ...object, spec: { ...pod.spec, imagePullSecrets: [...imagePullSecrets] } };
}
