/** What a router that begins with nothing writes for the services of its node: any table must mean the same in the end. Pure. */
import { type EndpointSlice, nameOf, namespaceOf, type Service } from '../../api/index.ts';
import { FrontClaims } from './front-claims.ts';
import { planService, type RoutingNode } from './service-fronts.ts';
import type { TableSettings } from './table-base.ts';
import { TableMirror } from './table-mirror.ts';

export interface RoutedService {
  readonly service: Service;
  readonly slices: readonly EndpointSlice[];
}

export function fullLoad(
  services: readonly RoutedService[],
  node: Omit<RoutingNode, 'nodeDns'> & Partial<Pick<RoutingNode, 'nodeDns'>>,
  settings: TableSettings,
): string {
  const claims = new FrontClaims();
  const plans = new Map(
    services.map(({ service, slices }) => [
      `${namespaceOf(service)}/${nameOf(service)}`,
      planService(service, slices, { nodeDns: undefined, ...node }),
    ]),
  );
  for (const [key, plan] of plans) claims.set(key, plan);
  const mirror = new TableMirror(settings);
  return mirror.load(new Map([...plans].map(([key, plan]) => [key, mirror.stateFor(key, claims.won(key, plan).plan)])))
    .text;
}
