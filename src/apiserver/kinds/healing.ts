/** What the server adds to the kinds of group mendlet.dev, whose definitions it begins with: admission and columns. */
import {
  CLUSTER_NOTIFICATIONS,
  definitionNameOf,
  HEALING_POLICIES,
  MAX_REQUESTER_LENGTH,
  NOTIFICATIONS,
  POD_RESTARTS,
  validateHealingPolicy,
  validateNotification,
} from '../../api/index.ts';
import type { OwnKind } from '../custom-resources/own-kind.ts';
import { type ApiObject, omit, recordOf } from '../registry/object.ts';
import { healingPolicyTable, podRestartTable } from '../tables/healing.ts';

/** The server sets the requester, and nobody changes it later. */
const POD_RESTART: OwnKind = {
  table: podRestartTable,
  admitNew: (object, user) => {
    const requestedBy = Array.from(user.name).slice(0, MAX_REQUESTER_LENGTH).join('');
    return { ...object, spec: { ...recordOf(object['spec']), requestedBy } };
  },
  admitChanged: (object, old) => ({ ...object, spec: withRequester(object, old) }),
};

function withRequester(object: ApiObject, old: ApiObject): object {
  const spec = omit(recordOf(object['spec']), 'requestedBy');
  const { requestedBy } = recordOf(old['spec']);
  return requestedBy === undefined ? spec : { ...spec, requestedBy };
}

const HEALING_POLICY: OwnKind = {
  table: healingPolicyTable,
  check: (object) => validateHealingPolicy(object),
};

/** By the name of the definition. */
export const OWN_KINDS: ReadonlyMap<string, OwnKind> = new Map([
  [definitionNameOf(POD_RESTARTS), POD_RESTART],
  [definitionNameOf(HEALING_POLICIES), HEALING_POLICY],
  [definitionNameOf(NOTIFICATIONS), { check: (object) => validateNotification(object, false) }],
  [definitionNameOf(CLUSTER_NOTIFICATIONS), { check: (object) => validateNotification(object, true) }],
]);
