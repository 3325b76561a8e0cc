/** Approves the certificates of nodes: those of machines that join, renewals, and what their kubelets serve with. */
import {
  canonicalAddress,
  CERTIFICATE_SIGNING_REQUESTS,
  type CertificateSigningRequest,
  ENDPOINTS,
  nameOf,
  NODES,
  SERVICES,
  SUBJECT_ACCESS_REVIEWS,
  type SubjectAccessReview,
} from '../../api/index.ts';
import type { KubeClient, Informers } from '../../client/index.ts';
import { type Clock, formatTime, type Logger } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, source } from '../controller.ts';
import { CERTIFICATE_RETRY_MS } from './limits.ts';
import { withCertificateCondition } from './conditions.ts';
import { NODE_PREFIX } from './check-request.ts';
import { nodesByAddress, planApproval, type Surroundings } from './plan-approval.ts';

const SERVER = { namespace: 'default', name: 'kubernetes' };

export interface ApprovingOptions {
  readonly informers: Informers;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keys are names of requests. */
export function approvingController({ informers, client, clock, logger }: ApprovingOptions): Controller {
  const requests = informers.lister(CERTIFICATE_SIGNING_REQUESTS);
  const nodes = informers.lister(NODES);
  const services = informers.lister(SERVICES);
  const endpoints = informers.lister(ENDPOINTS);
  const surroundings = (): Surroundings => {
    const byAddress = nodesByAddress(nodes.list());
    const service = services.get(SERVER.namespace, SERVER.name)?.spec;
    const subsets = endpoints.get(SERVER.namespace, SERVER.name)?.subsets ?? [];
    const told = subsets.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
    const all = [service?.clusterIP ?? '', ...(service?.clusterIPs ?? []), ...told];
    return {
      node: (name) => nodes.getByKey(name),
      nodesWith: (address) => byAddress.get(address) ?? [],
      serverAddresses: new Set(all.map((address) => canonicalAddress(address) ?? address)),
    };
  };
  /** Requests of a node that wait for the addresses in the node's status. */
  const waitingOf = (node: string): readonly string[] =>
    requests
      .list()
      .filter(
        ({ spec, status }) => spec.username === `${NODE_PREFIX}${node}` && (status?.conditions ?? []).length === 0,
      )
      .map(nameOf);
  const approve = async (
    request: CertificateSigningRequest,
    message: string,
    context: ReconcileContext,
  ): Promise<void> => {
    const now = formatTime(clock.now().wall);
    const object = withCertificateCondition(request, { type: 'Approved', reason: 'AutoApproved', message }, now);
    await context.write({ verb: 'update', resource: CERTIFICATE_SIGNING_REQUESTS, object, subresource: 'approval' });
  };
  return {
    name: 'certificatesigningrequest-approving',
    sources: [
      source(CERTIFICATE_SIGNING_REQUESTS, ({ type, key }) => (type === 'apply' ? [key] : [])),
      source(NODES, ({ key }) => waitingOf(key)),
      source(SERVICES, () => []),
      source(ENDPOINTS, () => []),
    ],
    reconcile: async (key, context) => {
      const request = requests.getByKey(key);
      if (request === undefined) return undefined;
      const step = planApproval(request, surroundings());
      switch (step.kind) {
        case 'none':
          return undefined;
        case 'leave':
          logger.info('a serving certificate is left to be approved by somebody', {
            request: key,
            reason: step.reason,
          });
          return undefined;
        case 'approve':
          await approve(request, step.message, context);
          return undefined;
        case 'ask':
          for (const { name, message } of step.subresources) {
            if (!(await mayCreate(client, request, name, context.signal))) continue;
            await approve(request, message, context);
            return undefined;
          }
          logger.info('a request for a node certificate is left to be approved by somebody', {
            request: key,
            user: request.spec.username,
          });
          // The right may still be granted.
          return { requeueAfterMs: CERTIFICATE_RETRY_MS };
      }
    },
  };
}

/** Whether the sender of a request has the right to get it approved automatically. */
async function mayCreate(
  client: KubeClient,
  { spec }: CertificateSigningRequest,
  subresource: string,
  signal: AbortSignal,
): Promise<boolean> {
  const { username, uid, groups, extra } = spec;
  const review: SubjectAccessReview = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    spec: {
      ...(username === undefined ? {} : { user: username }),
      ...(uid === undefined ? {} : { uid }),
      ...(groups === undefined ? {} : { groups }),
      ...(extra === undefined ? {} : { extra }),
      resourceAttributes: {
        group: 'certificates.k8s.io',
        resource: 'certificatesigningrequests',
        verb: 'create',
        subresource,
        version: '*',
      },
    },
  };
  const { status } = await client.create(SUBJECT_ACCESS_REVIEWS, review, signal);
  return status?.allowed === true;
}
