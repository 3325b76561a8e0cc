/** Holds ServiceCIDRs while addresses of them are in use, and says whether they are ready. Keys are their names. */
import { type IPAddress, IP_ADDRESSES, SERVICE_CIDRS, type ServiceCIDR } from '../../api/index.ts';
import { type Informers, type KubeClient, METADATA } from '../../client/index.ts';
import type { Clock } from '../../lib/index.ts';
import { type Controller, type ReconcileContext, type ReconcileResult, source } from '../controller.ts';
import { planServiceCidr } from './plan-service-cidr.ts';

/** The names say all: an address object is named after its address. */
const NAMES = { form: METADATA };

export function serviceCidrController(informers: Informers, client: KubeClient, clock: Clock): Controller {
  const cidrs = informers.lister(SERVICE_CIDRS);
  const going = (): readonly string[] =>
    cidrs
      .list()
      .filter(({ metadata }) => metadata?.deletionTimestamp !== undefined)
      .map(({ metadata }) => metadata?.name ?? '');

  const reconcile = async (name: string, context: ReconcileContext): Promise<ReconcileResult | void> => {
    const object = cidrs.getByKey(name);
    if (object === undefined) return undefined;
    const isGoing = object.metadata?.deletionTimestamp !== undefined;
    // The server itself is asked: a range must not go because a cache lags behind.
    const items = isGoing ? (await client.list(IP_ADDRESSES, { metadataOnly: true }, context.signal)).items : [];
    const addresses = items.map(({ metadata }) => metadata?.name ?? '');
    const step = planServiceCidr(object, { all: cidrs.list(), addresses, now: clock.now().wall });
    if (step.kind === 'wait') return { requeueAfterMs: step.ms };
    if (step.kind === 'none') return undefined;
    await context.write(
      step.kind === 'finalizers'
        ? patchOf(object, { metadata: { finalizers: step.finalizers } })
        : patchOf(object, { status: { conditions: [step.condition] } }, 'status'),
    );
    return undefined;
  };

  return {
    name: 'service-cidr-controller',
    sources: [
      // Another range may cover the addresses of one that goes.
      source(SERVICE_CIDRS, ({ object }) => [object.metadata?.name ?? '', ...going()]),
      source<IPAddress>(IP_ADDRESSES, (change) => (change.type === 'delete' ? going() : []), NAMES),
    ],
    reconcile,
  };
}

function patchOf(object: ServiceCIDR, patch: { metadata?: object; status?: object }, subresource?: string) {
  const { name = '', uid, resourceVersion } = object.metadata ?? {};
  return {
    verb: 'patch',
    resource: SERVICE_CIDRS,
    name,
    type: 'merge',
    patch: { ...patch, metadata: { ...patch.metadata, uid, resourceVersion } },
    ...(subresource !== undefined && { subresource }),
  } as const;
}
