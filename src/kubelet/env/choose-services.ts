/**
 * Chooses the services whose variables a container gets, if all of them would be more than it could be started with (`exec`
 * fails with E2BIG). The oldest come first, so that a new service takes nothing from those that containers rely on. Pure.
 */
import type { Service } from '../../api/index.ts';
import { variableBytes } from './environment-size.ts';
import { MAX_NAMED_SERVICES } from './limits.ts';
import { type EnvironmentVariable, variablesOf } from './service-links.ts';

export interface ChosenServices {
  /** In the order of the services that were given. */
  readonly variables: readonly EnvironmentVariable[];
  /** Names, sorted. */
  readonly leftOut: readonly string[];
}

/** Each port has four variables, none of them shorter: services that cannot fit are not even rendered. */
const LEAST_PORT_BYTES = 100;

/** @param maxBytes of all variables together, as the kernel counts them */
export function chooseServices(services: readonly Service[], maxBytes: number): ChosenServices {
  const chosen = new Map<Service, readonly EnvironmentVariable[]>();
  const leftOut: string[] = [];
  let left = maxBytes;
  for (const service of services.toSorted(byAge)) {
    const variables = (service.spec?.ports?.length ?? 0) * LEAST_PORT_BYTES > left ? undefined : variablesOf(service);
    const bytes = variables?.reduce((sum, variable) => sum + variableBytes(variable), 0) ?? Number.POSITIVE_INFINITY;
    if (variables === undefined || bytes > left) leftOut.push(service.metadata?.name ?? '');
    else {
      chosen.set(service, variables);
      left -= bytes;
    }
  }
  return { variables: services.flatMap((service) => chosen.get(service) ?? []), leftOut: leftOut.toSorted() };
}

export function leftOutMessage(container: string, leftOut: readonly string[]): string {
  const named = leftOut.slice(0, MAX_NAMED_SERVICES).join(', ');
  const more = leftOut.length > MAX_NAMED_SERVICES ? ` and ${leftOut.length - MAX_NAMED_SERVICES} more` : '';
  return (
    `Container "${container}" is started without the environment variables of services ${named}${more}, which would make its ` +
    'environment too large to start it; set enableServiceLinks: false if it needs none of them'
  );
}

function byAge(a: Service, b: Service): number {
  return keyOf(a) < keyOf(b) ? -1 : 1;
}

function keyOf({ metadata }: Service): string {
  return `${metadata?.creationTimestamp ?? ''} ${metadata?.name ?? ''}`;
}
