/** Gathers the bindings beside a right that a pod's service account lacks, and the roles that they give to it. */
import { CLUSTER_ROLE_BINDINGS, CLUSTER_ROLES, ROLE_BINDINGS, ROLES, type RoleBinding } from '../../api/index.ts';
import { namesAccount, type PodEvidence, type RefusedRight, type RoleEvidence } from '../../diagnosis/index.ts';
import type { Asker } from './ask.ts';
import { MAX_LISTED, MAX_ROLES } from './limits.ts';

/** undefined: they could not be read, which is noted. */
export async function gatherBindings(
  asker: Asker,
  { namespace, account }: RefusedRight,
): Promise<Required<Pick<PodEvidence, 'bindings' | 'roles'>> | undefined> {
  const where = namespace ?? account.namespace;
  const here = await bindingsOf(asker, where);
  if (here === undefined) return undefined;
  const isOwn = (one: RoleBinding): boolean => namesAccount(one, account);
  const others = where === account.namespace ? [] : ((await bindingsOf(asker, account.namespace)) ?? []).filter(isOwn);
  // Bindings of the cluster are many, and are read where no other gives anything to the account.
  const ofCluster = [...here, ...others].some(isOwn) ? [] : await clusterBindings(asker, isOwn);
  const bindings = [...here, ...others, ...ofCluster];
  return { bindings, roles: await rolesOf(asker, bindings.filter(isOwn)) };
}

async function bindingsOf(asker: Asker, namespace: string): Promise<readonly RoleBinding[] | undefined> {
  const all = await asker.listAll(`rolebindings in namespace ${namespace}`, ROLE_BINDINGS, {
    namespace,
    limit: MAX_LISTED,
  });
  return all?.map((one) => ({ ...one, kind: 'RoleBinding' }));
}

async function clusterBindings(asker: Asker, isOwn: (one: RoleBinding) => boolean): Promise<readonly RoleBinding[]> {
  const all = await asker.list('clusterrolebindings', CLUSTER_ROLE_BINDINGS, { limit: MAX_LISTED });
  return all.filter(isOwn).map((one) => ({ ...one, kind: 'ClusterRoleBinding' }));
}

async function rolesOf(asker: Asker, bindings: readonly RoleBinding[]): Promise<readonly RoleEvidence[]> {
  const wanted = bindings.map(({ roleRef: { kind, name }, metadata }) => ({
    kind,
    name,
    ...(kind === 'Role' && metadata?.namespace !== undefined && { namespace: metadata.namespace }),
  }));
  const unique = [...new Map(wanted.map((one) => [`${one.kind}/${one.namespace ?? ''}/${one.name}`, one])).values()];
  const all = await Promise.all(unique.slice(0, MAX_ROLES).map((one) => gatherRole(asker, one)));
  return all.flatMap((one) => one ?? []);
}

async function gatherRole(asker: Asker, role: Omit<RoleEvidence, 'rules'>): Promise<RoleEvidence | undefined> {
  const { kind, name, namespace } = role;
  const answer =
    kind === 'Role'
      ? await asker.get(`role/${name}`, ROLES, namespace, name)
      : await asker.get(`clusterrole/${name}`, CLUSTER_ROLES, undefined, name);
  if (answer.kind === 'missing') return { ...role, missing: true };
  return answer.kind === 'found' ? { ...role, rules: answer.value.rules ?? [] } : undefined;
}
