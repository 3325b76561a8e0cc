/** The registrations of group mendlet.dev, for healing beyond Kubernetes. */
import { HEALING_POLICIES, POD_RESTARTS } from '../../api/index.ts';
import { healingPolicyTable, podRestartTable } from '../tables/healing.ts';
import { type ApiObject, omit, recordOf } from '../registry/object.ts';
import type { Registration, Strategy } from '../registry/registration.ts';

/** The server sets the requester, and nobody changes it later. */
const restartStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object, user) => ({
    ...omit(object, 'status'),
    metadata: object.metadata,
    spec: { ...recordOf(object['spec']), requestedBy: user.name },
  }),
  prepareForUpdate: (object, old) => ({ ...object, spec: withRequester(object, old) }),
};

function withRequester(object: ApiObject, old: ApiObject): object {
  const spec = omit(recordOf(object['spec']), 'requestedBy');
  const { requestedBy } = recordOf(old['spec']);
  return requestedBy === undefined ? spec : { ...spec, requestedBy };
}

const policyStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...omit(object, 'status'), metadata: object.metadata }),
};

export const HEALING_REGISTRATIONS: readonly Registration[] = [
  {
    row: POD_RESTARTS,
    keyPrefix: '/registry/mendlet.dev/podrestarts/',
    table: podRestartTable,
    strategy: restartStrategy,
  },
  {
    row: HEALING_POLICIES,
    keyPrefix: '/registry/mendlet.dev/healingpolicies/',
    table: healingPolicyTable,
    strategy: policyStrategy,
  },
];
