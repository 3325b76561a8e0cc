/** The rows of ingresses and their classes, network policies, and the ranges and addresses of services. */
import { INGRESS_CLASSES, INGRESSES, IP_ADDRESSES, NETWORK_POLICIES, SERVICE_CIDRS } from '../../api/index.ts';
import {
  ingressClassTable,
  ingressTable,
  ipAddressTable,
  networkPolicyTable,
  serviceCidrTable,
} from '../tables/networking.ts';
import type { Registration, Strategy } from '../registry/registration.ts';

const ingressStrategy: Strategy = {
  hasGeneration: true,
  prepareForCreate: (object) => ({ ...object, status: { loadBalancer: {} } }),
};

const serviceCidrStrategy: Strategy = { prepareForCreate: (object) => ({ ...object, status: {} }) };

export const NETWORKING_REGISTRATIONS: readonly Registration[] = [
  { row: INGRESSES, keyPrefix: '/registry/ingress/', table: ingressTable, strategy: ingressStrategy },
  {
    row: INGRESS_CLASSES,
    keyPrefix: '/registry/ingressclasses/',
    table: ingressClassTable,
    strategy: { hasGeneration: true },
  },
  {
    row: NETWORK_POLICIES,
    keyPrefix: '/registry/networkpolicies/',
    table: networkPolicyTable,
    strategy: { hasGeneration: true },
  },
  { row: SERVICE_CIDRS, keyPrefix: '/registry/servicecidrs/', table: serviceCidrTable, strategy: serviceCidrStrategy },
  { row: IP_ADDRESSES, keyPrefix: '/registry/ipaddresses/', table: ipAddressTable, strategy: {} },
];
