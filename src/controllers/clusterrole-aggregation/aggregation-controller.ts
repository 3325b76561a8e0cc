/** Keeps the rules of roles with an aggregationRule up to date: admin, edit, view and those of other authors. */
import { CLUSTER_ROLES, type ClusterRole, equalJson, nameOf } from '../../api/index.ts';
import type { Informers } from '../../client/index.ts';
import { type Controller, source } from '../controller.ts';
import { aggregatedRules } from './aggregate.ts';

/** Keys are names of gathering roles. */
export function aggregationController(informers: Informers): Controller {
  const roles = informers.lister(CLUSTER_ROLES);
  const gathering = (): string[] =>
    roles
      .list()
      .filter((role) => role.aggregationRule !== undefined)
      .map(nameOf);
  return {
    name: 'clusterrole-aggregation',
    // Any role may feed any other, by its labels of now or of before.
    sources: [source(CLUSTER_ROLES, () => gathering())],
    reconcile: async (key, context) => {
      const role = roles.getByKey(key);
      const rules = role && aggregatedRules(role, roles.list());
      if (role === undefined || rules === undefined || equalJson(role.rules ?? [], rules)) return;
      const object: ClusterRole = { ...role, rules };
      await context.write({ verb: 'update', resource: CLUSTER_ROLES, object });
    },
  };
}
