/** Which lines of `ip monitor route` tell that a route of a mendlet is gone. Pure. */
import { ROUTE_PROTOCOL } from './peer-routes.ts';
import { SERVICE_ROUTE_PROTOCOL } from './router/router-machine.ts';

const OURS = new RegExp(`^Deleted .* proto (?:${ROUTE_PROTOCOL}|${SERVICE_ROUTE_PROTOCOL})(?: |$)`, 'v');

/** Linux tells nothing of routes that go with their link. */
export function tellsOfRoute(line: string): boolean {
  return OURS.test(line);
}
